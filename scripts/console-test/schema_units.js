// Checks of the Schema page's pure modules, run in the browser by schema_test.py.

export default async function run(base) {
  const [text, sdl, model, deploy] = await Promise.all(["schema-text", "schema-sdl", "schema-model", "schema-deploy"].map((name) => import(`${base}/pages/${name}.js`)));
  const failed = [];
  let passed = 0;
  const equal = (found, wanted, what) => {
    if (JSON.stringify(found) === JSON.stringify(wanted)) passed += 1;
    else if (failed.length < 20) failed.push(`${what}: ${JSON.stringify(found)} is not ${JSON.stringify(wanted)}`);
  };
  let seed = 7;
  const random = (n) => {
    seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((seed / 0x7fffffff) * n);
  };

  // Bytes and characters.
  const at = text.byteOffsets("a\u017d\u{1f600}b");
  equal([0, 1, 3, 7, 8].map(at), [0, 1, 2, 4, 5], "UTF-8 offsets");
  equal(text.fromBytes({ f: "# \u017d\nid" }, [{ file: "f", start: 5, end: 7, text: "x" }]), [{ file: "f", start: 4, end: 6, text: "x" }], "an edit of bytes");

  // Edits and what undoes them, on random texts.
  const lines = (n) => Array.from({ length: random(n) }, () => ["type A {\n", "  id: ID!\r\n", "}\n", "# c\n", "\n"][random(5)]);
  for (let n = 0; n < 400; n += 1) {
    const [a, b, c] = [lines(12), lines(12), lines(12)];
    let out = [];
    let from = 0;
    for (const hunk of text.hunks(a, b)) {
      out.push(...a.slice(from, hunk.a[0]), ...b.slice(...hunk.b));
      from = hunk.a[1];
    }
    out = [...out, ...a.slice(from)].join("");
    equal(out, b.join(""), "the difference of two texts makes the second");
    const edits = text.hunks(text.linesOf(a.join("")), text.linesOf(b.join(""))).map((hunk) => ({ file: "f", start: a.slice(0, hunk.a[0]).join("").length, end: a.slice(0, hunk.a[1]).join("").length, text: b.slice(...hunk.b).join("") }));
    const done = text.applyEdits({ f: a.join("") }, edits);
    equal(done.files.f, b.join(""), "edits make the text");
    equal(text.applyEdits(done.files, done.inverse).files.f, a.join(""), "what undoes edits restores every byte");
    const one = text.differenceEdit("f", a.join(""), b.join(""));
    equal(text.applyEdits({ f: a.join("") }, one).files.f, b.join(""), "the one edit between two texts");
    const [base, mine, theirs] = [a.join(""), b.join(""), c.join("")];
    equal(text.merge(base, mine, base), { text: mine, conflicts: 0 }, "a merge with an unchanged side");
    equal(text.merge(base, base, theirs), { text: theirs, conflicts: 0 }, "a merge with an unchanged side");
    equal(text.merge(base, mine, mine), { text: mine, conflicts: 0 }, "a merge of equal changes");
    const merged = text.merge(base, mine, theirs);
    equal(text.conflictsOf(merged.text).length, merged.conflicts, "the conflicts that stand in a merged text");
  }
  equal(text.merge("a\nb\nc\nd\n", "a\nx\nc\nd\n", "a\nb\nc\ny\n"), { text: "a\nx\nc\ny\n", conflicts: 0 }, "changes of different lines");

  // Places.
  const source = '# alone\n\n# own\ntype User @model {\r\n  id: ID! # key\n  "d" name(a: [Int] = 3): [String!]! @x(y: "}")\n}\nenum K { A B }\ninput Broken { a: ';
  const found = text.definitionsOf(source);
  equal(found.map((one) => [one.kind, one.name, one.members.map((member) => member.name)]), [["type", "User", ["id", "name"]], ["enum", "K", ["A", "B"]], ["input", "Broken", ["a"]]], "definitions");
  equal(source.slice(found[0].start, found[0].start + 5), "# own", "a comment directly above belongs to the definition");
  equal(source.slice(found[0].members[1].start, found[0].members[1].end), '"d" name(a: [Int] = 3): [String!]! @x(y: "}")', "a member with its description and directives");
  equal(text.placeOf("a\r\nbc", 4), { line: 1, ch: 1 }, "a place");
  equal(text.offsetOf("a\r\nbc", 1, 1), 4, "an offset");
  equal(text.differenceLines("a\nb\n", "a\nc\n").map((one) => one.kind + one.text), ["a", "-b", "+c"], "lines of a difference");

  // Completion.
  const words = (before) => sdl.completions(before, 1, ["Room"]).words.map((one) => one.text);
  equal(words("type A @mod"), ["model"], "directives");
  equal(words("type A { a: Ro"), ["Room"], "types");
  equal(words("type A @key(na"), ["name"], "arguments");
  equal(words("type A @auth(rules: [{ allow: pu"), ["public"], "values of rules");
  equal(words("type A { ").length, 0, "names of fields are not guessed");
  equal(words('type A { a: String }\n# {\nen'), ["enum"], "keywords, whatever comments say");

  // Formatting: only white space between tokens changes, and a second time changes nothing.
  const untidy = 'type A\n@model @auth(rules: [\n{ allow: owner }\n]) {\r\nid:   ID!   \n      # about\n"""\n  kept   \n"""\n name: String\n   @x(y: "}{")\n}\n\n\n\nenum K { A\nB }\n';
  const tidy = sdl.formatted(untidy);
  equal(tidy.replace(/\s/g, ""), untidy.replace(/\s/g, ""), "what is not white space");
  equal(tidy, 'type A\n  @model @auth(rules: [\n    { allow: owner }\n]) {\r\n  id:   ID!\n  # about\n  """\n  kept   \n"""\n  name: String\n    @x(y: "}{")\n}\n\nenum K { A\n  B }\n', "a formatted text");
  equal(sdl.formatted(tidy), tidy, "a formatted text, formatted");

  // Changes in words.
  const field = (name, type, more = {}) => ({ name, type, kind: "scalar", required: false, list: false, elementRequired: false, default: null, description: null, key: false, stored: true, rules: [], functions: [], ...more });
  const type = (name, fields, more = {}) => ({ name, kind: "model", description: null, fields, values: [], keys: [{ name: null, primary: true, fields: ["id"], queryField: null }], rules: [], arguments: {}, ...more });
  const of = (...types) => ({ version: 1, types, relationships: [] });
  const before = of(type("Room", [field("id", "ID"), field("city", "String")]), type("User", [field("id", "ID")]));
  const changed = (now, renames = []) => model.summaryOf(model.changesOf(before, now, {}, renames));
  equal(changed(before), "Only comments and layout differ.", "no change");
  equal(changed(of(type("Room", [field("id", "ID"), field("city", "String"), field("note", "String")]), type("User", [field("id", "ID")]))), "Adds field Room.note. No data loss.", "an added field");
  equal(changed(of(type("Room", [field("id", "ID"), field("town", "String")]), type("User", [field("id", "ID")])), [{ type: "Room", field: "city", to: "town" }]), "Renames Room.city to town. No data loss.", "a renamed field");
  equal(changed(of(type("Place", [field("id", "ID"), field("city", "String")]), type("User", [field("id", "ID")])), [{ type: "Room", to: "Place" }]), "Renames Room to Place. No data loss.", "a renamed model");
  equal(changed(of(type("Room", [field("id", "ID")]), type("User", [field("id", "ID")]))), "Removes Room.city. Data of Room.city is no longer served.", "a removed field");
  equal(changed(of(type("Room", [field("id", "ID"), field("city", "String", { required: true })]))), "Changes Room.city and removes model User. Data of User is no longer served.", "a required field and a removed model");
  equal([model.pluralOf("City"), model.pluralOf("Box"), model.pluralOf("Day")], ["Cities", "Boxes", "Days"], "plurals");
  equal(model.fieldType(field("a", "Int", { list: true, elementRequired: true, required: true })), "[Int!]!", "a type");
  equal(model.whoOf({ allow: "owner", identityClaim: "sub" }), null, "a rule that the form does not show is kept as it is");
  equal(model.whoOf({ allow: "groups", groupsField: "team" }), "groupsField", "a rule by a field");
  equal([["3", "Int"], ["x", "Int"], ["true", "Boolean"], ["[1]", "[Int]"], ["a", "String"]].map(([value, of]) => deploy.backfillValue(value, of).value ?? null), [3, null, true, [1], "a"], "values that fill items");
  return { passed, failed };
}
