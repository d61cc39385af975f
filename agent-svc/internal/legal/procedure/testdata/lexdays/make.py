"""Writes vectors.csv.gz: periods computed by lexdays 0.2.0 (PyPI, MIT), the peer that differential_test.go compares with.

    pip install lexdays==0.2.0
    python make.py

A line is: days, direction, service, trigger, last day by the three readings of an observed Friday (safe, not_holiday, holiday), each as the
number of days from the trigger. lexdays is used for nothing but this file, and no program links it.
"""

import csv
import datetime
import gzip
import io
import random

import lexdays

assert lexdays.__version__ == "0.2.0", lexdays.__version__

CASES = 10_000
FIRST = datetime.date(2017, 1, 1)
DAYS = (datetime.date(2035, 6, 30) - FIRST).days
PERIODS = [
    (days, "after", service) for days in (14, 21, 28, 30, 60, 90) for service in ("electronic", "mail")
] + [(days, "before", "electronic") for days in (7, 14, 21, 28)]


def last_day(trigger, days, direction, service, friday):
    result = lexdays.compute(
        "us/frcp", trigger, f"P{days}D", direction=direction, options={"service": service, "observed_friday": friday}
    )
    return (result.deadline - trigger).days


def main():
    random.seed(20)
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    seen = {}

    for days, direction, service in PERIODS:
        for _ in range(CASES):
            trigger = FIRST + datetime.timedelta(days=random.randrange(DAYS))
            key = (trigger, days, direction, service)
            if key not in seen:
                seen[key] = [last_day(trigger, days, direction, service, f) for f in ("safe", "not_holiday", "holiday")]
            rows.writerow([days, direction, service, trigger.isoformat(), *seen[key]])

    with open("vectors.csv.gz", "wb") as f, gzip.GzipFile(fileobj=f, mode="wb", mtime=0, filename="") as z:
        z.write(out.getvalue().encode())


if __name__ == "__main__":
    main()
