"""How long random padding and noise hold: after how many looks at one of two secrets a guess is right 9 times of 10."""

import numpy as np

import minleak as ml


def shifted(width: int, apart: int) -> np.ndarray:
    """A size with 0 to width - 1 added at random, for two secrets whose sizes are so far apart."""
    channel = np.zeros((2, width + apart))
    channel[0, :width] = channel[1, apart:] = 1 / width
    return channel


def in_rows(apart: int) -> np.ndarray:
    """A list of 800 to 1,000 rows of 39 bytes, and how many bytes its true rows have more, for two such lists."""
    channel = np.zeros((2, 39 * 201 + apart))
    channel[0, 0 : 39 * 201 : 39] = channel[1, apart : apart + 39 * 201 : 39] = 1 / 201
    return channel


def normal(deviation: float) -> np.ndarray:
    """A time with normal noise, for two secrets that are 1 apart, seen in steps of a tenth of the deviation."""
    from scipy.special import ndtr

    ends = np.arange(-5 * deviation, 5 * deviation + 1, deviation / 10)
    return np.array([np.diff(np.concatenate([[0.0], ndtr((ends - mean) / deviation), [1.0]])) for mean in (0, 1)])


CASES = {
    "Django's gzip, 0 to 99 bytes: 1 byte apart": shifted(100, 1),
    "Django's gzip, 0 to 99 bytes: 10 bytes apart": shifted(100, 10),
    "HIBP, 0 to 200 rows more, beyond 800 rows: 1 row apart": shifted(201, 1),
    "HIBP, the same: 20 rows apart": shifted(201, 20),
    "HIBP, up to 800 rows, in bytes: 1 byte apart": in_rows(1),
    "uniform delay up to 300 times the difference": shifted(300, 1),
    "normal noise, deviation 10 times the difference": normal(10),
    "normal noise, deviation 100 times the difference": normal(100),
}


def main() -> None:
    print(f"{'':<56} one look   looks for 90%           exponent")
    for name, channel in CASES.items():
        once = ml.lab.repeated_success([1, 1], channel, looks=[1], trials=2000)
        needed = ml.lab.observations_needed([1, 1], channel, success=0.9, trials=2000)
        sure = f"{needed.looks:,}" if needed.exact else f"{needed.low:,} to {needed.high:,}"
        print(f"{name:<56} {once.success[0]:>8.4f}   {sure:<20} {needed.exponent:>10.3g}")


if __name__ == "__main__":
    main()
