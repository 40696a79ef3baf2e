"""Functions that are written in the language itself."""

DEFINITIONS = """
def map_values(f): .[] |= f;
def to_entries: [keys_unsorted[] as $k | {key: $k, value: .[$k]}];
def with_entries(f): to_entries | map(f) | from_entries;
def paths: path(..) | select(length > 0);
def paths(f): path(.. | select(f)) | select(length > 0);
def leaf_paths: paths(scalars);
def pick(f): . as $all | reduce path(f) as $p (null; setpath($p; $all | getpath($p)));
def inside(whole): . as $part | whole | contains($part);
def in(whole): . as $key | whole | has($key);
def IN(s): any(s == .; .);
def IN(f; s): any(f == s; .);
def INDEX(s; f): reduce s as $one ({}; .[$one | f | tostring] |= $one);
def INDEX(f): INDEX(.[]; f);
def add(f): reduce f as $one (null; . + $one);
def last(f): reduce f as $one (null; $one);
def first: .[0];
def last: .[-1];
def nth($n): .[$n];
def nth($n; f): last(limit($n + 1; f));
def isempty(f): first((f | false), true);
def isvalid(f): try (f | true) catch false;
def repeat(f): recurse(f);
def while(holds; f): recurse(if holds then f else empty end) | select(holds);
def recurse(f; holds): recurse(f | select(holds));
def combinations: if length == 0 then [] else .[0][] as $one | (.[1:] | combinations) as $rest | [$one] + $rest end;
def finites: select(isinfinite or isnan | not);
def normals: select(isnormal);
def ascii: [.] | implode;
def env: {};
def splits($re; flags): split($re; flags) | .[];
def splits($re): splits($re; null);
def match(re; flags): _matches(re; flags) | .[];
def match(re): match(re; null);
def scan($re; $flags): match($re; "g" + $flags) | if .captures == [] then .string else [.captures[].string] end;
def scan($re): scan($re; null);
def _captured: [.captures[] | select(.name != null) | {key: .name, value: .string}] | from_entries;
def capture(re; flags): match(re; flags) | _captured;
def capture(re): capture(re; null);
def test(re): test(re; null);
def sub($re; f; $flags):
  . as $text
  | reduce _matches($re; $flags)[] as $one ([0]; ($one | _captured | f) as $new
      | .[0] as $at | .[0] = $one.offset + $one.length | . + [$text[$at:$one.offset], $new])
  | .[1:] as $made | $made + [$text[.[0]:]] | _glued;
def sub(re; f): sub(re; f; "");
def gsub(re; f): sub(re; f; "g");
def gsub(re; f; $flags): sub(re; f; $flags + "g");
def todate: strftime("%Y-%m-%dT%H:%M:%SZ");
def todateiso8601: todate;
def fromdate: strptime("%Y-%m-%dT%H:%M:%SZ") | mktime;
def fromdateiso8601: fromdate;
def date: todate;
def dateadd(unit; n): . + n;
def datesub(unit; n): . - n;
"""
