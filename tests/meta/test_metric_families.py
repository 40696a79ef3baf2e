"""Series under one name, as Prometheus reads them."""

from svcsim.meta.metric_families import CounterFamily, HistogramFamily


def test_a_family_without_series_is_not_there():
    assert CounterFamily("a_total", "About a.", ("x",), limit=1).lines() == []
    assert HistogramFamily("a_seconds", "About a.", ("x",), (1.0,), limit=1).lines() == []


def test_counters_are_told_apart_by_their_labels():
    family = CounterFamily("a_total", "About a.", ("x", "y"), limit=10)
    for values in (("1", "2"), ("1", "2"), ('"\\\n', "3")):
        family.add(*values)
    assert family.lines() == [
        "# HELP a_total About a.",
        "# TYPE a_total counter",
        'a_total{x="1",y="2"} 2',
        'a_total{x="\\"\\\\\\n",y="3"} 1',
    ]


def test_a_histogram_counts_what_is_not_longer():
    family = HistogramFamily("a_seconds", "About a.", ("x",), (0.5, 2.0), limit=10)
    for seconds in (0.25, 0.5, 1.0, 4.0):
        family.add(seconds, "1")
    assert family.lines() == [
        "# HELP a_seconds About a.",
        "# TYPE a_seconds histogram",
        'a_seconds_bucket{x="1",le="0.5"} 2',
        'a_seconds_bucket{x="1",le="2"} 3',
        'a_seconds_bucket{x="1",le="+Inf"} 4',
        'a_seconds_sum{x="1"} 5.75',
        'a_seconds_count{x="1"} 4',
    ]


def test_there_is_a_limit_to_how_many_are_told_apart():
    counter, histogram = CounterFamily("a_total", "", ("x",), limit=2), HistogramFamily("a_seconds", "", ("x",), (1.0,), limit=2)
    for number in range(5):
        counter.add(str(number))
        histogram.add(0.0, str(number))
    assert counter.lines()[2:] == ['a_total{x="0"} 1', 'a_total{x="1"} 1', 'a_total{x="other"} 3']
    assert [line for line in histogram.lines() if "count" in line] == [
        'a_seconds_count{x="0"} 1',
        'a_seconds_count{x="1"} 1',
        'a_seconds_count{x="other"} 3',
    ]


def test_what_means_nothing_any_more_goes():
    counter, histogram = CounterFamily("a_total", "", ("x",), limit=9), HistogramFamily("a_seconds", "", ("x",), (1.0,), limit=9)
    for family in (counter, histogram):
        for name in ("a", "b"):
            family.add(name) if isinstance(family, CounterFamily) else family.add(0.0, name)
        family.keep(lambda values: values == ("b",))
    assert counter.lines()[2:] == ['a_total{x="b"} 1']
    assert [line for line in histogram.lines() if "count" in line] == ['a_seconds_count{x="b"} 1']
