// Checks of the console's pure modules, run in the browser by browser_test.py.

export default async function run(base) {
  const [filter, values, csv, rows, palette, api, format, snippets, query, code, link] = await Promise.all(["kit/filter.js", "kit/values.js", "kit/csv.js", "kit/rows.js", "kit/palette.js", "api.js", "kit/format.js", "pages/snippets.js", "pages/query.js", "kit/filter-code.js", "pages/document-link.js"].map((name) => import(`${base}/${name}`)));
  const failed = [];
  let passed = 0;
  const equal = (found, wanted, what) => {
    if (JSON.stringify(found) === JSON.stringify(wanted)) passed += 1;
    else failed.push(`${what}: ${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);
  };

  // Filters: chips → JSON → chips.
  const one = { field: "note", op: "eq", value: "" };
  const two = { field: "room.city", op: "contains", value: "Nan" };
  const three = { field: "price", op: "between", value: [1, 5] };
  for (const conditions of [[one], [one, two], [one, two, three], [one, one], [one, { any: true, conditions: [two, three] }]]) {
    for (const any of [false, true]) {
      const json = filter.toJSON({ any, conditions });
      const back = filter.fromJSON(json);
      equal(filter.toJSON(back), json, "a filter and back");
      if (conditions.length > 1) equal(back, { any, conditions }, "the chips of a filter");
    }
  }
  equal(filter.toJSON({ any: false, conditions: [] }), null, "no filter");
  equal(filter.fromJSON({ not: { note: { eq: "" } } }), null, "a filter that the chips cannot show");
  equal(filter.fromJSON({ price: { ge: 1, le: 5 } }).conditions.length, 2, "two operators of one field");
  equal(filter.conditionWords({ field: "a", op: "attributeExists", value: false }).op, "is not set", "words");
  equal(code.listField({ name: "Booking" }), "listBookings", "a plural");
  equal(code.listField({ name: "City" }), "listCities", "a plural of y");
  equal(code.toGraphQL({ name: "Room", fields: [{ name: "kind", kind: "enum", values: ["DOUBLE"] }] }, { kind: { eq: "DOUBLE" } }).includes("filter: { kind: { eq: DOUBLE } }"), true, "an enum value in GraphQL");
  equal(code.toSwift({ name: "Room" }, { any: false, conditions: [{ field: "price", op: "ge", value: 3 }] }).includes("room.price >= 3"), true, "a predicate");

  const booking = { name: "Booking", fields: [{ name: "room", kind: "belongsTo" }, { name: "note", kind: "scalar" }] };
  const mixed = { and: [{ room: { city: { eq: "Nantes" } } }, { note: { eq: "x" } }] };
  equal(code.toGraphQL(booking, mixed).startsWith("# Without room.city: ") && code.toGraphQL(booking, mixed).includes('filter: { and: [{ note: { eq: "x" } }] }'), true, "a related field is left out of GraphQL");
  equal(code.toGraphQL(booking, { room: { city: { eq: "Nantes" } } }).includes("filter:"), false, "no filter is left");
  equal(code.toSwift(booking, filter.fromJSON(mixed)).endsWith('QueryPredicate = booking.note == "x"\n'), true, "a related field is left out of a predicate");
  equal(code.toSwift(booking, filter.fromJSON({ and: [{ note: { eq: null } }, { or: [{ note: { eq: "a" } }, { note: { eq: "b" } }] }] })).includes('booking.note == nil && (booking.note == "a" || booking.note == "b")'), true, "a group of a predicate");

  // Values.
  const accepts = (type, text) => values.check({ name: "x", type, kind: "scalar" }, text).error === undefined;
  const cases = {
    Int: [["1", "-2147483648", "2147483647"], ["", "1.5", "2147483648", "a"]], Float: [["1", "1.5", "-1e3"], ["", "a", "Infinity"]], Boolean: [["true", "false"], ["yes", ""]],
    AWSDate: [["2026-12-05", "2024-02-29", "2026-12-05Z", "2026-12-05+01:00"], ["2026-13-01", "2026-02-30", "5 December", ""]], AWSTime: [["14:30", "14:30:00", "14:30:00.000Z"], ["25:00", "14", ""]],
    AWSDateTime: [["2026-12-05T14:30:00.000Z", "2026-12-05T14:30:00+01:00"], ["2026-12-05", "2026-12-05T14:30:00", ""]], AWSTimestamp: [["1795347858", "-1"], ["1.5", "now", ""]], AWSJSON: [["{}", "1", '"a"'], ["{", "a", ""]],
    AWSEmail: [["ada@example.com"], ["ada", "ada@", "a b@example.com", ""]], AWSURL: [["https://example.com/a?b"], ["example.com", ""]], AWSPhone: [["+44 20 7946 0018", "5551234567"], ["12", "phone", ""]],
    AWSIPAddress: [["192.168.1.20", "10.0.0.0/8", "2001:db8::1", "::1/128"], ["256.1.1.1", "10.0.0.0/33", "abc", ""]],
  };
  for (const [type, [good, bad]] of Object.entries(cases)) {
    for (const text of good) equal(accepts(type, text), true, `${type} takes ${text}`);
    for (const text of bad) equal(accepts(type, text), false, `${type} takes ${JSON.stringify(text)}`);
  }
  equal(values.check({ name: "kind", kind: "enum", type: "Kind", values: ["A"] }, "B").error, "Not saved: kind must be one of A.", "an enum");
  equal(values.typeText({ name: "x", type: "String", kind: "scalar", list: true, required: true }), "[String]!", "a list's type");
  equal(values.cellText("x".repeat(300)).length, 201, "a long text is cut");

  // CSV (RFC 4180).
  equal(csv.parseCSV('a,b\r\n"1, ""x""","two\nlines"\r\n,\n'), [["a", "b"], ['1, "x"', "two\nlines"], ["", ""]], "CSV");
  equal(csv.toCSV(["a", "b"], [["=1", 'x"y'], [-1, ""], [null, [1]]]), 'a,b\r\n\'=1,"x""y"\r\n-1,""\r\n,[1]\r\n', "CSV with a formula");
  equal(csv.parseCSV(csv.toCSV(["a"], [["two\nlines, \"x\""]]))[1], ["two\nlines, \"x\""], "CSV and back");
  equal(csv.parseCSV("\ufeffa\n1\n")[0], ["a"], "a byte order mark");
  equal(csv.preview('{"a":1}\n{"b":{"c":2}}', "jsonl"), { columns: ["a", "b"], rows: [["1", ""], ["", '{"c":2}']] }, "JSON lines");

  // Scaled scrolling: both ends are reached, small moves are exact, and the bar settles where it belongs.
  for (const count of [10, 5000, 235_000, 1_000_000, 10_000_000]) {
    const scale = new rows.Scale();
    scale.resize(46 + count * 34, 700);
    equal(scale.shown <= rows.HEIGHT_MAX, true, `the height of ${count}`);
    scale.moved(scale.scrollMax);
    equal(scale.virtual, scale.virtualMax, `the end of ${count}`);
    scale.moved(0);
    equal(scale.virtual, 0, `the start of ${count}`);
    if (scale.scrollMax > 100_000) {
      scale.moved(60_000);
      const before = scale.virtual;
      scale.moved(60_034);
      equal(Math.round(scale.virtual - before), 34, `a small move in ${count}`);
      const settled = scale.settled;
      equal(Math.abs(scale.jump(scale.virtual) - settled) < 1, true, `the bar in ${count}`);
      equal(Math.round(scale.virtual - before), 34, `what is seen stays in ${count}`);
    }
    for (let n = 0; n < 50; n += 1) scale.moved(Math.max(0, scale.scroll - 500));
    equal(scale.virtual >= 0 && scale.virtual <= scale.virtualMax, true, `the bounds of ${count}`);
  }

  // Ranking: whole words before parts before scattered letters.
  const order = ["Booking", "New Booking", "RoomBooking", "BackOfKing", "Room"].map((text) => [text, palette.rank("booking", text)]).filter(([, score]) => score > 0).sort((a, b) => b[1] - a[1]).map(([text]) => text);
  equal(order.slice(0, 3), ["Booking", "New Booking", "RoomBooking"], "ranking");
  equal(palette.rank("xyz", "Booking"), 0, "no match");

  // Keys of items in paths.
  equal(api.itemPath("Room", ["a/b", "c,d"]), "/data/Room/items/a%2Fb,c%2Cd", "an item's path");
  equal(api.queryString({ a: null, b: "", c: 0, d: { e: 1 } }), "?c=0&d=%7B%22e%22%3A1%7D", "a query");

  // Texts.
  equal(format.plural(1, "item"), "1 item", "one");
  equal(format.plural(1234, "item"), "1,234 items", "many");
  equal(format.countText({ value: 10000, exact: false }), "10,000+", "a bounded count");
  equal(format.bytes(612), "612 bytes", "bytes");
  equal(format.bytes(142606336), "143 MB", "megabytes");
  equal([format.ago(Date.now()), format.ago(Date.now() - 125_000), format.ago(Date.now() - 26 * 3600_000)], ["now", "2 min ago", "yesterday"], "times");
  equal(snippets.SNIPPETS.curl({ endpoint: "http://x/graphql", query: "{ a(b: 'c') }", variables: {} }).includes(`'\\''`), true, "quotes of a shell");
  equal(link.sharedDocument(link.documentHash({ query: "{ naïve → ok }", variables: { a: "Ž" } })), { query: "{ naïve → ok }", variables: { a: "Ž" } }, "a shared document");
  equal(query.itemCount({ listRooms: { items: [1, 2] } }), 2, "items of an answer");
  return { passed, failed };
}
