"""Small evaluation trees, made here, in the formats of the released sets and with all their traps."""

from __future__ import annotations

import numpy as np

SICK_HEADER = b"pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"
MSRP_HEADER = b"\xef\xbb\xbfQuality\t#1 ID\t#2 ID\t#1 String\t#2 String"

SENTENCE_FILES = {
    # latin-1, with 0x85 in a line, which is no end of a line, and a space at its end
    "MR/rt-polarity.pos": b"A warm film \x85 truly .  \nclich\xe9 free\n\"quoted\" tale\n",
    # the same set as others distribute it: UTF-8 with a byte order mark and CRLF
    "MR/rt-polarity.neg": "\ufeffa caf\u00e9 bore\r\nno plot\r\n".encode(),
    # blank lines in the middle and at the end
    "CR/custrev.pos": b"it works\n\ngood zoom\n\n",
    "CR/custrev.neg": b"it broke\n \n",
    "SUBJ/subj.objective": b"he leaves town\nshe stays\n",
    "SUBJ/subj.subjective": b"a na\xefve charm\n",
    # no end of the last line
    "MPQA/mpqa.pos": b"in favour\nwelcome",
    "MPQA/mpqa.neg": b"condemn\nfear\nIn Doubt\n",
    # one byte of latin-1; quotes; two spaces; a colon in the question
    "TREC/train_5500.label": (
        b"NUM:dist How far  is `` it '' ?\nENTY:cremat What film : the sister\xf0city ?\n"
        b"ABBR:exp What is CPU ?\nHUM:ind Who ?\n"
    ),
    "TREC/TREC_10.label": b"DESC:def What is it ?\r\nLOC:city Where ?\r\n\r\n",
    "SST/binary/sentiment-train": "a \u201cfine\u201d one \t1\nbad \t0\n".encode(),
    "SST/binary/sentiment-dev": b"so good \t1\n",
    "SST/binary/sentiment-test": b"so bad \t0\n",
    "SST/fine/sentiment-train": "4 great\u00a0stuff , 5 of 5\n0 awful\n2 so so\n".encode(),
    "SST/fine/sentiment-dev": b"1 weak\n",
    "SST/fine/sentiment-test": b"3 fine\n",
}  # fmt: skip

PAIR_FILES = {
    # a mark, CRLF, quotation marks that do not match, a control character, a column too many
    "MRPC/msr_paraphrase_train.txt": (
        MSRP_HEADER + b'\r\n1\t1\t2\t"He said so .\tThe Treasury\x12s "plan .\r\n'
        b"0\t3\t4\tCaf\xc3\xa9s close .\tIt rains .\tmore\r\n"
    ),
    "MRPC/msr_paraphrase_test.txt": MSRP_HEADER + b"\n1\t5\t6\tIt ends .\tIt is over .\n",
    # scores with and without decimals; the test part has CRLF
    "SICK/SICK_train.txt": (
        SICK_HEADER + b"\n1\tA dog runs\tA dog is running\t4.9\tENTAILMENT\n"
        b"2\tA man sits\tNo man sits\t3\tCONTRADICTION\n"
    ),
    "SICK/SICK_trial.txt": SICK_HEADER + b"\n4\tA cat\tA kite\t1\tNEUTRAL\n",
    "SICK/SICK_test_annotated.txt": (
        SICK_HEADER + b"\r\n6\tA boy eats\tA boy eats food\t5\tENTAILMENT\r\n"
    ),
    # no header, no quoting; 7 columns or 9
    "STS/STSBenchmark/sts-train.csv": (
        b'main-news\tMSRpar\t2012\t7\t5.000\tAn "odd mark\tAn odd mark\n'
        b"main-news\theadlines\t2013\t8\t3\tOne\tTwo\tlicence\tsource\n"
    ),
    "STS/STSBenchmark/sts-dev.csv": b"main\timages\t2014\t9\t0\tred\tblue\n",
    "STS/STSBenchmark/sts-test.csv": b"main\timages\t2015\t1\t2.5\tup\tdown\n",
    # this gold file has no input: its sentences may not be passed on
    "STS/STS13-en-test/STS.gs.SMT.txt": b"4.2\n",
    "STS/STS14-en-test/00-readme.txt": b"not data\n",
}

STS_SUBSETS = {
    12: ("MSRpar", "MSRvid", "SMTeuroparl", "surprise.OnWN", "surprise.SMTnews"),
    13: ("FNWN", "headlines", "OnWN"),
    14: ("deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news"),
    15: ("answers-forums", "answers-students", "belief", "headlines", "images"),
    16: ("answer-answer", "headlines", "plagiarism", "postediting", "question-question"),
}

# Flat names where they are not those of the other layout without the folder.
FLAT = {
    "SUBJ/subj.objective": "plot.tok.gt9.5000",
    "SUBJ/subj.subjective": "quote.tok.gt9.5000",
}


def write(root, files):
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)


def sts_files(year, stem="STS"):
    """Three pairs a subset, of which the second has no score; a character that was lost."""
    folder = f"STS/STS{year}-en-test"
    files = {}
    for subset in STS_SUBSETS[year]:
        pairs = f"{subset} a\tb b\textra\tcolumns\nc\td\nl\ufffdst one\tE\u00a0f\n"
        files[f"{folder}/{stem}.input.{subset}.txt"] = pairs.encode()
        files[f"{folder}/{stem}.gs.{subset}.txt"] = b"4.25\n\n0\n"
    return files


def senteval_tree(root):
    """All tasks in the layout of SentEval; STS 2016 with the names of its organisers."""
    write(root, SENTENCE_FILES)
    write(root, PAIR_FILES)
    for year in STS_SUBSETS:
        write(root, sts_files(year, "STS2016" if year == 16 else "STS"))
    write_images(root)
    return root


def flat_tree(root):
    """What the scripts of skip-thoughts read, in one folder."""
    for name, content in {**SENTENCE_FILES, **PAIR_FILES}.items():
        folder, file = name.rsplit("/", 1)
        if not folder.startswith(("SST", "STS")):
            write(root, {FLAT.get(name, file): content})
    return root


def write_images(root, rows=(3, 2, 2)):
    """Captions and one row of features an image, for each part of COCO."""
    for part, images in zip(("train", "dev", "test"), rows, strict=True):
        captions = "".join(
            f"A {part} image {i} seen {k}\n" for i in range(images) for k in range(5)
        )
        write(root, {f"COCO/{part}_caps.txt": captions.encode()})
        features = np.arange(images * 4, dtype=np.float32).reshape(images, 4)
        np.save(root / "COCO" / f"{part}_ims.npy", features)
