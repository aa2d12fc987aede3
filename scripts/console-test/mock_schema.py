"""The schema of the mock server: reads it, edits its text in place, plans and deploys it, as far as the pages' tests need.

A small subset of what the server does, in the same shapes. Nothing here is part of the product."""

import asyncio
import difflib
import hashlib
import json
import re
import time
from datetime import datetime, timedelta, timezone

import graphql
from graphql.language import ast

SCALARS = {"ID", "String", "Int", "Float", "Boolean", "AWSDate", "AWSTime", "AWSDateTime", "AWSTimestamp", "AWSEmail", "AWSJSON", "AWSURL", "AWSPhone", "AWSIPAddress"}
DIRECTIVES = {"model", "auth", "key", "connection", "versioned", "function", "primaryKey", "index", "hasOne", "hasMany", "belongsTo", "manyToMany", "default", "mapsTo", "refersTo", "deprecated"}
RELATIONS = {"connection", "hasOne", "hasMany", "belongsTo", "manyToMany"}
OPERATIONS = ["create", "read", "update", "delete"]

BOOKING = """# The schema of the room booking app.

type User @model @auth(rules: [{ allow: public }]) {
  id: ID!
  username: String!
}

type Booking
  @model
  @auth(rules: [{ allow: public }])
  @key(name: "byRoom", fields: ["roomID", "checkInDate"], queryField: "bookingsByRoom")
{
  id: ID!
  roomID: ID!
  room: Room @connection(fields: ["roomID"])
  # the user name, as typed in the app
  guestId: ID!
  checkInDate: AWSDate!
  checkOutDate: AWSDate!
}

type Room @model @auth(rules: [{ allow: public }]) @audited(by: "billing") {
  id: ID!
  description: String!
  city: String!
  price: Int!
  imageKey: String!
  kind: RoomKind
  address: Address
}

enum RoomKind {
  SINGLE
  DOUBLE
  SUITE
}

type Address {
  street: String!
  city: String!
}
"""


class Refused(Exception):
    def __init__(self, code, refusal, message, **details):
        self.code, self.message, self.hint = code, message, details.pop("hint", None)
        self.details = {"refusal": refusal, **details}


def bytes_at(text, index):
    return len(text[:index].encode())


def hash_of(files):
    return hashlib.sha256(json.dumps(list(files.items())).encode()).hexdigest()[:16]


def place(file, text, start, end):
    before = text[:start]
    lines = re.split(r"\r\n|\r|\n", before)
    return {"file": file, "start": bytes_at(text, start), "end": bytes_at(text, end), "line": len(lines), "column": len(lines[-1]) + 1}


def constant(node):
    if isinstance(node, ast.ListValueNode):
        return [constant(one) for one in node.values]
    if isinstance(node, ast.ObjectValueNode):
        return {one.name.value: constant(one.value) for one in node.fields}
    return None if isinstance(node, ast.NullValueNode) else node.value


def arguments(directive):
    return {one.name.value: constant(one.value) for one in directive.arguments or []}


def value_text(value, key=""):
    if isinstance(value, list):
        return "[" + ", ".join(value_text(one, key) for one in value) + "]"
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{k}: {value_text(v, k)}" for k, v in value.items()) + " }"
    return value if key in ("allow", "provider", "operations", "level") else json.dumps(value)


def rule_of(rule):
    return {"rule": rule, "text": ", ".join(f"{k}: {value_text(v, k)}" for k, v in rule.items())}


def parts(node):
    inner, required = (node.type, True) if isinstance(node, ast.NonNullTypeNode) else (node, False)
    if isinstance(inner, ast.ListTypeNode):
        element = inner.type
        return {"type": (element.type if isinstance(element, ast.NonNullTypeNode) else element).name.value, "required": required, "list": True, "elementRequired": isinstance(element, ast.NonNullTypeNode)}
    return {"type": inner.name.value, "required": required, "list": False, "elementRequired": False}


def type_text(field):
    inner = f"[{field['type']}{'!' if field.get('elementRequired') else ''}]" if field.get("list") else field["type"]
    return inner + ("!" if field.get("required") else "")


def plural(word):
    return word[:-1] + "ies" if re.search("[^aeiou]y$", word) else word + ("es" if re.search("(s|x|ch|sh)$", word) else "s")


class Read:
    """The files, read: `model` is null if there is a syntax error."""

    def __init__(self, files, version=1):
        self.files, self.diagnostics, self.model, self.documents, self.version = files, [], None, {}, version
        for name, text in files.items():
            try:
                self.documents[name] = graphql.parse(text) if text.strip() and re.sub(r"#[^\n]*", "", text).strip() else None
            except graphql.GraphQLSyntaxError as error:
                at = error.locations[0]
                self.diagnostics.append(self.diagnostic("GraphQLSyntaxError", error.message.removeprefix("Syntax Error: "), name, at.line, at.column, error.positions[0], "Write a name, or remove what stands here."))
        if self.diagnostics:
            return
        names = re.findall(r"@(\w+)", "\n".join(files.values()))
        self.version = 2 if set(names) & {"hasOne", "hasMany", "belongsTo", "manyToMany", "primaryKey", "index"} else version
        self.nodes = {node.name.value: (name, node) for name, document in self.documents.items() if document for node in document.definitions if hasattr(node, "name") and node.name}
        kinds = {}
        for name, (_, node) in self.nodes.items():
            kinds[name] = "enum" if isinstance(node, ast.EnumTypeDefinitionNode) else ("model" if any(d.name.value == "model" for d in node.directives or []) else "root" if name in ("Query", "Mutation", "Subscription") else "custom") if isinstance(node, ast.ObjectTypeDefinitionNode) else "union" if isinstance(node, ast.UnionTypeDefinitionNode) else "interface" if isinstance(node, ast.InterfaceTypeDefinitionNode) else "input" if isinstance(node, ast.InputObjectTypeDefinitionNode) else "scalar"
        self.kinds = kinds
        self.model = {"version": self.version, "types": [], "relationships": []}
        for name, (file, node) in self.nodes.items():
            self.read_type(name, file, node)
        self.read_relationships()
        for one in self.model["types"]:
            if one["kind"] == "model":
                self.read_api(one)

    def diagnostic(self, code, message, file, line, column, index, help_=None, suggestion=None, severity="error"):
        text = self.files[file]
        return {"severity": severity, "code": code, "message": message, "help": help_, "file": file, "line": line, "column": column, "start": bytes_at(text, index), "suggestion": suggestion}

    def wrong(self, file, node, message, help_=None, suggestion=None, severity="error"):
        at = place(file, self.files[file], node.loc.start, node.loc.end)
        self.diagnostics.append(self.diagnostic("SchemaValidationError", message, file, at["line"], at["column"], node.loc.start, help_, suggestion, severity))

    def read_type(self, name, file, node):
        text = self.files[file]
        where = lambda one: place(file, text, one.loc.start, one.loc.end)
        kind = self.kinds[name]
        directives = {d.name.value: d for d in (getattr(node, "directives", None) or [])}
        known = {"kind": kind, "name": name, "description": node.description.value if node.description else None, "place": where(node), "namePlace": where(node.name), "fields": [], "values": [], "keys": [], "rules": [], "arguments": {}, "api": None, "access": []}
        self.model["types"].append(known)
        for d in (getattr(node, "directives", None) or []):
            if d.name.value not in DIRECTIVES and d.name.value != "audited":
                self.wrong(file, d, f"There is no directive @{d.name.value}.", *self.meant("@" + d.name.value, ["@" + one for one in DIRECTIVES]))
        if kind == "enum":
            known["values"] = [{"name": v.name.value, "description": v.description.value if v.description else None, "place": where(v)} for v in node.values]
            return
        if "auth" in directives:
            known["rules"] = [rule_of(one) for one in arguments(directives["auth"]).get("rules", [])]
        if "model" in directives:
            known["arguments"] = arguments(directives["model"])
        for d in (getattr(node, "directives", None) or []):
            if d.name.value == "key":
                found = arguments(d)
                known["keys"].append({"name": found.get("name"), "primary": not found.get("name"), "fields": found.get("fields", []), "queryField": found.get("queryField"), "place": where(d)})
        for f in getattr(node, "fields", []) or []:
            shape = parts(f.type)
            own = {d.name.value: d for d in f.directives or []}
            kind_of = "scalar" if shape["type"] in SCALARS else {"enum": "enum", "model": "model", "custom": "custom"}.get(self.kinds.get(shape["type"]), "unknown")
            if kind_of == "unknown":
                self.wrong(file, self.innermost(f.type), f'Unknown type "{shape["type"]}".', *self.meant(shape["type"], [*SCALARS, *self.kinds]))
            if kind_of == "model" and kind == "model" and not set(own) & RELATIONS:
                self.wrong(file, f, f"{name}.{f.name.value} leads to a model without a relationship.", "Add @connection.")
            if "index" in own:
                found = arguments(own["index"])
                known["keys"].append({"name": found.get("name"), "primary": False, "fields": [f.name.value, *found.get("sortKeyFields", [])], "queryField": found.get("queryField"), "place": where(own["index"])})
            if "primaryKey" in own:
                known["keys"].append({"name": None, "primary": True, "fields": [f.name.value, *arguments(own["primaryKey"]).get("sortKeyFields", [])], "queryField": None, "place": where(own["primaryKey"])})
            known["fields"].append({"name": f.name.value, **shape, "kind": kind_of, "default": arguments(own["default"]).get("value") if "default" in own else None, "description": f.description.value if f.description else None, "key": False, "stored": not set(own) & RELATIONS and kind_of != "model",
                                    "rules": [rule_of(one) for one in arguments(own["auth"]).get("rules", [])] if "auth" in own else [], "functions": [], "place": where(f), "namePlace": where(f.name)})
        if kind == "model":
            if not any(key["primary"] for key in known["keys"]):
                known["keys"].insert(0, {"name": None, "primary": True, "fields": ["id"], "queryField": None, "place": None})
            for key in known["keys"]:
                for wanted in key["fields"]:
                    if not any(f["name"] == wanted for f in known["fields"]) and wanted != "id":
                        self.wrong(file, node.name, f"The key {key['name']} of {name} has no field {wanted}.", *self.meant(wanted, [f["name"] for f in known["fields"]]))
            for f in known["fields"]:
                f["key"] = f["name"] in next(key for key in known["keys"] if key["primary"])["fields"]
            known["access"] = [{"identity": value_text(rule["rule"].get("allow"), "allow"), "operations": rule["rule"].get("operations", OPERATIONS)} for rule in known["rules"]]

    def innermost(self, node):
        while not isinstance(node, ast.NamedTypeNode):
            node = node.type
        return node

    def meant(self, word, names):
        close = difflib.get_close_matches(word, sorted(names), 1, 0.6)
        return (f"Did you mean {close[0]}?", close[0].lstrip("@")) if close else (None, None)

    def read_relationships(self):
        for type_ in self.model["types"]:
            if type_["kind"] != "model":
                continue
            _, node = self.nodes[type_["name"]]
            for f in node.fields:
                d = next((d for d in f.directives or [] if d.name.value in RELATIONS), None)
                if not d:
                    continue
                found, shape = arguments(d), parts(f.type)
                index = found.get("keyName") or found.get("indexName")
                self.model["relationships"].append({"type": type_["name"], "field": f.name.value, "target": shape["type"], "has": "many" if shape["list"] else "one", "reverse": "none", "reverseField": None, "kind": d.name.value,
                                                    "keyFields": found.get("fields", []) if not shape["list"] else [], "index": index, "name": found.get("relationName") or found.get("name"), "required": shape["required"]})
        for one in self.model["relationships"]:
            for other in self.model["relationships"]:
                if other is not one and other["type"] == one["target"] and other["target"] == one["type"] and not one["reverseField"]:
                    one["reverseField"], one["reverse"] = other["field"], other["has"]
            if one["has"] == "one" and not one["index"]:
                keys = next(t for t in self.model["types"] if t["name"] == one["type"])["keys"]
                one["index"] = next((key["name"] for key in keys if key["name"] and one["keyFields"] and key["fields"][0] == one["keyFields"][0]), None)
            one["sentence"] = f"Each {one['type']} has {'many ' + plural(one['target']) if one['has'] == 'many' else 'one ' + one['target']}."

    def read_api(self, type_):
        name = type_["name"]
        given = type_["arguments"]
        type_["api"] = None if any(one["severity"] == "error" for one in self.diagnostics) else {
            "queries": ([] if given.get("queries", 1) is None else [f"get{name}", f"list{plural(name)}"]) + [key["queryField"] for key in type_["keys"] if key["queryField"]],
            "mutations": [] if given.get("mutations", 1) is None else [f"{verb}{name}" for verb in ("create", "update", "delete")],
            "subscriptions": [] if given.get("subscriptions", 1) is None else [f"on{verb}{name}" for verb in ("Create", "Update", "Delete")]}

    def type(self, name):
        found = next((one for one in self.model["types"] if one["name"] == name), None)
        if not found:
            raise Refused(404, "not_found", f"There is no type {name}.")
        return found


class Editor:
    """One edit of the text. `text` changes; the caller finds what differs."""

    def __init__(self, files, version):
        self.read = Read(files, version)
        if self.read.model is None:
            one = self.read.diagnostics[0]
            raise Refused(409, "syntax", f"The schema has a syntax error: {one['message']}", place={"file": one["file"], "line": one["line"], "column": one["column"], "offset": one["start"]})
        self.files, self.renames = dict(files), []

    # Places

    def node(self, name):
        if name not in self.read.nodes:
            raise Refused(404, "not_found", f"There is no type {name}.")
        return self.read.nodes[name]

    def member(self, type_, name):
        file, node = self.node(type_)
        found = next((one for one in [*(getattr(node, "fields", None) or []), *(getattr(node, "values", None) or [])] if one.name.value == name), None)
        if not found:
            raise Refused(404, "not_found", f"There is no field {type_}.{name}.")
        return file, node, found

    def replace(self, file, start, end, text):
        old = self.files[file]
        self.files[file] = old[:start] + text + old[end:]
        self.read = Read(self.files, self.read.version)

    def line_end(self, file):
        return "\r\n" if "\r\n" in self.files[file] else "\n"

    def full(self, file, node):
        """The range of a definition or a member with the comments directly above, from the start of its line."""
        text = self.files[file]
        start = text.rfind("\n", 0, node.loc.start) + 1
        if text[start:node.loc.start].strip():
            return node.loc.start, node.loc.end
        while start > 0:
            above = text.rfind("\n", 0, start - 1) + 1
            if not text[above:start].strip().startswith("#"):
                break
            start = above
        end = text.find("\n", node.loc.end)
        rest = text[node.loc.end:len(text) if end < 0 else end]
        return start, (len(text) if end < 0 else end + 1) if not rest.strip() or rest.strip().startswith("#") else node.loc.end

    # Types

    def add_definition(self, kind, name, text):
        if name in self.read.nodes:
            raise Refused(409, "exists", f"{name} is there already.")
        last = [found for other, found in self.read.nodes.items() if self.read.kinds[other] == kind] or list(self.read.nodes.values())
        file = last[-1][0] if last else next(iter(self.files))
        end = self.line_end(file)
        text = text.replace("\n", end)
        if not last:
            old = self.files[file]
            self.replace(file, len(old), len(old), (end if old.strip() else "") + text + end)
            return
        at = last[-1][1].loc.end
        rest = re.match(r"[^\r\n]*", self.files[file][at:])[0]
        self.replace(file, at + len(rest), at + len(rest), end + end + text + ("" if self.files[file][at + len(rest):] else end))

    def field_line(self, field):
        return f"{field['name']}: {type_text(field)}" + (f" @default(value: {json.dumps(field['default'])})" if field.get("default") else "")

    def rules_text(self, rules):
        return f"@auth(rules: {value_text(rules)})" if rules else ""

    def addModel(self, name, fields=(), rules=(), description=None):
        lines = [self.field_line(one) for one in fields] or ["id: ID!"]
        self.add_definition("model", name, f"type {name} @model{' ' + self.rules_text(rules) if rules else ''} {{\n" + "".join(f"  {line}\n" for line in lines) + "}")

    def addCustomType(self, name, fields=(), description=None):
        if not fields:
            raise Refused(422, "invalid", "A custom type needs a field.")
        self.add_definition("custom", name, f"type {name} {{\n" + "".join(f"  {self.field_line(one)}\n" for one in fields) + "}")

    def addEnum(self, name, values, description=None):
        self.add_definition("enum", name, f"enum {name} {{\n" + "".join(f"  {one}\n" for one in values) + "}")

    def references(self, name):
        return [(type_["name"], field) for type_ in self.read.model["types"] for field in type_["fields"] if field["type"] == name and type_["name"] != name]

    def removeType(self, type, removeReferences=False):
        file, node = self.node(type)
        found = self.references(type)
        if found and not removeReferences:
            raise Refused(409, "referenced", f"Other parts of the schema refer to {type}.", references=[{"subject": f"{owner}.{field['name']}", "place": field["place"]} for owner, field in found])
        for owner, field in found:
            self.removeField(owner, field["name"])
        file, node = self.node(type)
        start, end = self.full(file, node)
        text = self.files[file]
        blank = re.match(r"\r?\n", text[end:])
        self.replace(file, start, end + (len(blank[0]) if blank else 0), "")

    def renameType(self, type, to, keepingData=True):
        if to in self.read.nodes:
            raise Refused(409, "exists", f"{to} is there already.")
        self.node(type)
        for file in list(self.files):
            places = []
            for _, (at, node) in self.read.nodes.items():
                if at != file:
                    continue
                if node.name.value == type:
                    places.append(node.name.loc)
                for f in getattr(node, "fields", None) or []:
                    inner = self.read.innermost(f.type)
                    if inner.name.value == type:
                        places.append(inner.loc)
            for loc in sorted(places, key=lambda loc: -loc.start):
                self.files[file] = self.files[file][:loc.start] + to + self.files[file][loc.end:]
        self.read = Read(self.files, self.read.version)
        if keepingData and self.read.version == 2:
            file, node = self.node(to)
            self.replace(file, node.directives[0].loc.end, node.directives[0].loc.end, f' @mapsTo(name: "{type}")')
        elif keepingData:
            self.renames.append({"type": type, "to": to})

    def setDescription(self, type, member=None, description=None):
        file, node = self.node(type) if member is None else self.member(type, member)[::2]
        text = self.files[file]
        if node.description:
            end = node.name.loc.start if member else re.search(r"type|enum|interface|input|union|scalar", text[node.description.loc.end:]).start() + node.description.loc.end
            self.replace(file, node.description.loc.start, node.description.loc.end if description is not None else end, json.dumps(description, ensure_ascii=False) if description is not None else "")
        elif description is not None:
            lead = re.search(r"[^\r\n]*$", text[:node.loc.start])[0]
            self.replace(file, node.loc.start, node.loc.start, json.dumps(description, ensure_ascii=False) + (self.line_end(file) + lead if not lead.strip() else " "))

    # Fields

    def insert_member(self, type_, line, after="last"):
        file, node = self.node(type_)
        members = [*(getattr(node, "fields", None) or []), *(getattr(node, "values", None) or [])]
        text, end = self.files[file], self.line_end(file)
        if after == "last":
            anchor = members[-1]
        elif after is None:
            anchor = None
        else:
            anchor = self.member(type_, after)[2]
        if anchor is None:
            first = members[0]
            start = self.full(file, first)[0]
            lead = re.search(r"[^\r\n]*$", text[:first.loc.start])[0]
            self.replace(file, start, start, f"{lead}{line}{end}" if not lead.strip() else f"{line} ")
            return
        rest = re.match(r"[^\r\n]*", text[anchor.loc.end:])[0]
        lead = re.search(r"[^\r\n]*$", text[:anchor.loc.start])[0]
        if rest.strip() and not rest.strip().startswith("#"):
            self.replace(file, anchor.loc.end, anchor.loc.end, f" {line}")
        else:
            indent = lead if not lead.strip() else "  "
            self.replace(file, anchor.loc.end + len(rest), anchor.loc.end + len(rest), f"{end}{indent}{line}")

    def addField(self, type, field, **position):
        known = self.read.type(type)
        if any(one["name"] == field["name"] for one in known["fields"]):
            raise Refused(409, "exists", f"{type}.{field['name']} is there already.")
        if self.read.kinds.get(field["type"]) == "model":
            raise Refused(422, "invalid", f"{field['type']} is a model: {type}.{field['name']} would be a relationship.", hint="Add a relationship instead.")
        self.insert_member(type, self.field_line(field), position.get("after", "last"))

    def changeField(self, type, field, change):
        file, _, node = self.member(type, field)
        shape = {**parts(node.type), **{k: v for k, v in change.items() if k != "default"}}
        if not shape["list"]:
            shape["elementRequired"] = False
        self.replace(file, node.type.loc.start, node.type.loc.end, type_text(shape))
        if "default" in change:
            if self.read.version == 1:
                raise Refused(422, "invalid", "Version 1 has no defaults.", hint="They are written @default in version 2.")
            file, _, node = self.member(type, field)
            self.replace(file, node.type.loc.end, node.type.loc.end, f" @default(value: {json.dumps(change['default'])})")

    def renameField(self, type, field, to, keepingData=True):
        file, node, found = self.member(type, field)
        if any(one.name.value == to for one in node.fields):
            raise Refused(409, "exists", f"{type}.{to} is there already.")
        places = [(found.name.loc.start, found.name.loc.end, to)]
        for d in [*(node.directives or []), *(d for f in node.fields for d in f.directives or [])]:
            for argument in d.arguments or []:
                if argument.name.value in ("fields", "sortKeyFields") and isinstance(argument.value, ast.ListValueNode):
                    places += [(value.loc.start, value.loc.end, json.dumps(to)) for value in argument.value.values if value.value == field]
        for start, end, text in sorted(places, reverse=True):
            self.files[file] = self.files[file][:start] + text + self.files[file][end:]
        self.read = Read(self.files, self.read.version)
        if keepingData and self.read.version == 2:
            file, _, found = self.member(type, to)
            self.replace(file, found.type.loc.end, found.type.loc.end, f' @refersTo(name: "{field}")')
        elif keepingData:
            self.renames.append({"type": type, "field": field, "to": to})

    def moveField(self, type, field, **position):
        file, node, found = self.member(type, field)
        start, end = self.full(file, found)
        text = self.files[file][start:end]
        self.replace(file, start, end, "")
        after = position.get("after", "last")
        file, node = self.node(type)
        if after is None:
            at = self.full(file, node.fields[0])[0]
        else:
            anchor = node.fields[-1] if after == "last" else self.member(type, after)[2]
            at = self.full(file, anchor)[1]
        self.replace(file, at, at, text)

    def moveEnumValue(self, type, value, **position):
        file, _, found = self.member(type, value)
        start, end = self.full(file, found)
        text = self.files[file][start:end]
        self.replace(file, start, end, "")
        file, node = self.node(type)
        after = position.get("after", "last")
        at = self.full(file, node.values[0])[0] if after is None else self.full(file, node.values[-1] if after == "last" else self.member(type, after)[2])[1]
        self.replace(file, at, at, text)

    def removeField(self, type, field):
        file, node, found = self.member(type, field)
        keys = [f"key {key['name']}" for key in self.read.type(type)["keys"] if field in key["fields"] and key["place"]] + [f"{one['type']}.{one['field']}" for one in self.read.model["relationships"] if one["type"] == type and field in one["keyFields"] and one["field"] != field]
        if keys:
            raise Refused(409, "referenced", f"Other parts of the schema refer to {type}.{field}.", references=[{"subject": one, "place": None} for one in keys])
        start, end = self.full(file, found)
        self.replace(file, start, end, "")

    def addEnumValue(self, type, value, description=None, **position):
        self.insert_member(type, value, position.get("after", "last"))

    def renameEnumValue(self, type, value, to):
        file, _, found = self.member(type, value)
        self.replace(file, found.name.loc.start, found.name.loc.end, to)

    removeEnumValue = lambda self, type, value: self.remove_member(type, value)

    def remove_member(self, type, name):
        file, _, found = self.member(type, name)
        self.replace(file, *self.full(file, found), "")

    # Relationships, keys, rules

    def addRelationship(self, type, has, target, field, reverse="none", reverseField=None, required=False, keyField=None, keyRequired=True, index=None, name=None, rules=None):
        for side, wanted in ((type, field), (target, reverseField)):
            if wanted and any(one["name"] == wanted for one in self.read.type(side)["fields"]):
                raise Refused(409, "exists", f"{side}.{wanted} is there already.", hint="Choose another name.")
        two, mark = self.read.version == 2, "!" if required else ""
        first = lambda model: self.read.type(model)["fields"][0]["name"]
        if (has, reverse) in (("one", "none"), ("one", "one")):
            if keyField:
                self.insert_member(type, f"{keyField}: ID{'!' if keyRequired else ''}", first(type))
            self.insert_member(type, f"{field}: {target}{mark} @{'hasOne' if two else 'connection'}" + (f'(fields: ["{keyField}"])' if keyField else ""), keyField or first(type))
            if reverse == "one":
                self.insert_member(target, f"{reverseField}: {type} @{'belongsTo' if two else 'connection'}")
        elif has == "many" and reverse == "many":
            join = name or type + target
            if two:
                self.insert_member(type, f'{field}: [{target}] @manyToMany(relationName: "{join}")')
                self.insert_member(target, f'{reverseField}: [{type}] @manyToMany(relationName: "{join}")')
            else:
                low = [one[0].lower() + one[1:] for one in (type, target)]
                rule = self.rules_text([one["rule"] for one in self.read.type(type)["rules"]])
                self.add_definition("model", join, f'type {join} @model{" " + rule if rule else ""} @key(name: "by{type}", fields: ["{low[0]}ID", "{low[1]}ID"]) @key(name: "by{target}", fields: ["{low[1]}ID", "{low[0]}ID"]) {{\n  id: ID!\n  {low[0]}ID: ID!\n  {low[1]}ID: ID!\n  {low[0]}: {type}! @connection(fields: ["{low[0]}ID"])\n  {low[1]}: {target}! @connection(fields: ["{low[1]}ID"])\n}}')
                self.insert_member(type, f'{field}: [{join}] @connection(keyName: "by{type}", fields: ["id"])')
                self.insert_member(target, f'{reverseField}: [{join}] @connection(keyName: "by{target}", fields: ["id"])')
        else:
            one, many = (type, target) if has == "many" else (target, type)
            list_field, single = (field, reverseField) if has == "many" else (reverseField, field)
            key = keyField or one[0].lower() + one[1:] + "ID"
            key_name = index or "by" + one
            if not any(f["name"] == key for f in self.read.type(many)["fields"]):
                self.insert_member(many, f"{key}: ID!" + (f' @index(name: "{key_name}")' if two else ""), first(many))
            if not two:
                self.addKey(many, {"name": key_name, "fields": [key]})
            if single:
                self.insert_member(many, f"{single}: {one}{mark} @{'belongsTo' if two else 'connection'}(fields: [\"{key}\"])", key)
            self.insert_member(one, f"{list_field}: [{many}] @{'hasMany(indexName' if two else 'connection(keyName'}: \"{key_name}\", fields: [\"id\"])")

    def removeRelationship(self, type, field, removeReverse=False, removeKey=False):
        relation = next((one for one in self.read.model["relationships"] if one["type"] == type and one["field"] == field), None)
        if not relation:
            raise Refused(422, "invalid", f"{type}.{field} is not a relationship.")
        self.remove_member(type, field)
        if removeReverse and relation["reverseField"]:
            self.remove_member(relation["target"], relation["reverseField"])
        if removeKey:
            for key in relation["keyFields"]:
                if not any(key in one["fields"] for one in self.read.type(type)["keys"]):
                    self.remove_member(type, key)

    def key_text(self, key):
        items = ([f'name: "{key["name"]}"'] if key.get("name") else []) + [f"fields: {value_text(key['fields'])}"] + ([f'queryField: "{key["queryField"]}"'] if key.get("queryField") else [])
        return f"@key({', '.join(items)})"

    def find_key(self, type, name):
        file, node = self.node(type)
        for d in node.directives or []:
            if d.name.value == "key" and arguments(d).get("name") == name:
                return file, d
        raise Refused(404, "not_found", f"{type} has no key {name}.")

    def insert_directive(self, type, text):
        file, node = self.node(type)
        last = node.directives[-1]
        whole = self.files[file]
        lead = re.search(r"[^\r\n]*$", whole[:last.loc.start])[0]
        self.replace(file, last.loc.end, last.loc.end, (self.line_end(file) + lead if not lead.strip() else " ") + text)

    def addKey(self, type, key):
        known = self.read.type(type)
        if any(one["name"] == key.get("name") and one["place"] for one in known["keys"]):
            raise Refused(409, "exists", f"{type} has an index {key.get('name')} already.")
        self.insert_directive(type, self.key_text(key))

    def changeKey(self, type, name, key):
        file, d = self.find_key(type, name)
        self.replace(file, d.loc.start, d.loc.end, self.key_text(key))

    def remove_directive(self, file, d):
        text = self.files[file]
        start = d.loc.start
        while text[start - 1] in " \t":
            start -= 1
        if text[start - 1] == "\n":
            start -= 2 if text[start - 2] == "\r" else 1
        self.replace(file, start, d.loc.end, "")

    def removeKey(self, type, name):
        used = [one for one in self.read.model["relationships"] if one["target"] == type and one["index"] == name and name and one["has"] == "many"]
        if used:
            raise Refused(409, "referenced", "Relationships use the key.", hint="Remove them first.", references=[{"subject": f"{one['type']}.{one['field']}", "place": None} for one in used])
        self.remove_directive(*self.find_key(type, name))

    def setRules(self, type, rules, field=None):
        file, node = self.node(type) if field is None else self.member(type, field)[::2]
        d = next((d for d in node.directives or [] if d.name.value == "auth"), None)
        if d and rules:
            self.replace(file, d.loc.start, d.loc.end, self.rules_text(rules))
        elif d:
            self.remove_directive(file, d)
        elif rules and field is None:
            self.insert_directive(type, self.rules_text(rules))
        elif rules:
            self.replace(file, node.loc.end, node.loc.end, " " + self.rules_text(rules))

    def setModelArguments(self, type, arguments):
        file, node = self.node(type)
        d = next(d for d in node.directives or [] if d.name.value == "model")
        given = ", ".join(f"{k}: {value_text(v)}" for k, v in arguments.items())
        self.replace(file, d.loc.start, d.loc.end, f"@model({given})" if given else "@model")


def edit(files, edits, version=1):
    """The answer of POST /schema/edit."""
    now, renames = dict(files), []
    for one in edits:
        one = dict(one)
        kind = one.pop("kind")
        editor = Editor(now, version)
        getattr(editor, kind)(**one)
        now, renames = editor.files, renames + editor.renames
    out, inverse = [], []
    for name, text in now.items():
        old = files[name]
        shift = 0
        for tag, a, b, c, d in difflib.SequenceMatcher(None, old.splitlines(True), text.splitlines(True), autojunk=False).get_opcodes():
            if tag == "equal":
                continue
            lines, after = old.splitlines(True), text.splitlines(True)
            start, gone, new = len("".join(lines[:a])), "".join(lines[a:b]), "".join(after[c:d])
            # As small as the server's: without what both begin and end with.
            while gone and new and gone[0] == new[0]:
                start, gone, new = start + 1, gone[1:], new[1:]
            while gone and new and gone[-1] == new[-1]:
                gone, new = gone[:-1], new[:-1]
            first, last = bytes_at(old, start), bytes_at(old, start + len(gone))
            out.append({"file": name, "start": first, "end": last, "text": new})
            inverse.append({"file": name, "start": first + shift, "end": first + shift + len(new.encode()), "text": gone})
            shift += len(new.encode()) - (last - first)
    read = Read(now, version)
    return {"edits": out, "inverse": inverse, "renames": renames, "model": read.model, "diagnostics": read.diagnostics, "hash": hash_of(now)}


def unified(before, after):
    return [{"file": name, "text": "\n".join(difflib.unified_diff(before.get(name, "").splitlines(), after.get(name, "").splitlines(), lineterm="", n=3))} for name in {**before, **after} if before.get(name, "") != after.get(name, "")]


class SchemaState:
    """What the server has on disk, the drafts, and the deployments."""

    def __init__(self, empty, allowed=True, publish=lambda *_: None, items=lambda model: 0, jobs=None):
        self.disk = {"schema.graphql": "" if empty else BOOKING}
        self.served = dict(self.disk)
        self.drafts, self.jobs, self.deployments = {}, {} if jobs is None else jobs, []
        self.allowed, self.publish, self.items = allowed, publish, items
        self.fail_at, self.pause, self.running, self.missing = None, 0.02, None, {}
        self.positions, self.grown = {}, None
        if not empty:
            old = re.sub(r"\ntype Address \{.*?\n\}\n", "", BOOKING, flags=re.S).replace("  address: Address\n", "").replace("\n  kind: RoomKind", "").replace("enum RoomKind {\n  SINGLE\n  DOUBLE\n  SUITE\n}\n", "")
            self.record({}, old, "ada", 9)
            self.record({"schema.graphql": old}, BOOKING, "ada", 1)

    @property
    def reason(self):
        return None if self.allowed else "The schema of this server is not deployed from the console: set console.deploy to true."

    def record(self, before, after, by, days=0, renames=()):
        after = after if isinstance(after, dict) else {"schema.graphql": after}
        plan = self.plan(after, list(renames), before)
        number = len(self.deployments) + 1
        self.deployments.append({"number": number, "at": (datetime.now(timezone.utc) - timedelta(days=days)).isoformat(timespec="milliseconds").replace("+00:00", "Z"), "by": by, "hash": hash_of(after), "summary": plan["summary"], "reversible": plan["reversible"], "source": "console", "milliseconds": 84, "undoes": None,
                                 "files": after, "renames": list(renames), "plan": plan, "diff": unified(before, after)})
        return number

    def get(self):
        read = Read(self.disk)
        last = self.deployments[-1] if self.deployments else None
        return {"files": [{"name": name, "path": f"config/{name}", "text": text, "hash": hash_of({name: text})} for name, text in self.disk.items()], "hash": hash_of(self.disk), "transformerVersion": read.version, "canDeploy": self.allowed, "reason": self.reason,
                "served": self.served == self.disk, "deployment": {key: last[key] for key in ("number", "at", "by")} if last else None, "model": read.model or {"version": 1, "types": [], "relationships": []} if not read.diagnostics else read.model, "diagnostics": read.diagnostics}

    def check(self, files):
        read = Read(files)
        return {"valid": not read.diagnostics, "hash": hash_of(files), "transformerVersion": read.version, "model": read.model, "diagnostics": read.diagnostics}

    def plan(self, files, renames, before=None):
        before = self.served if before is None else before
        new = Read(files)
        if any(one["severity"] == "error" for one in new.diagnostics):
            raise Refused(422, "invalid", "The schema has errors.", diagnostics=new.diagnostics)
        old = Read(before).model or {"types": [], "relationships": []}
        steps, breaking, added, removed, changed = [], [], [], [], []
        types = {one["name"]: one for one in old["types"] if one["kind"] == "model"}
        type_was, field_was = {}, {}
        for one in renames:
            if "field" in one:
                field_was[one["type"], one["to"]] = field_was.pop((one["type"], one["field"]), one["field"])
            else:
                type_was[one["to"]] = type_was.pop(one["type"], one["type"])

        def step(kind, risk, sentence, model=None, field=None, items=0, **more):
            steps.append({"id": f"s{len(steps) + 1}", "kind": kind, "model": model, "field": field, "index": None, "risk": risk, "items": items, "removedItems": 0, "lostValues": 0, "seconds": 0, "time": "instant", "sentence": sentence, "hint": None, **more})

        met = set()
        for one in new.model["types"]:
            if one["kind"] != "model":
                continue
            name, was = one["name"], types.get(type_was.get(one["name"], one["name"]))
            if not was:
                step("createTable", "additive", f"Create table {name}", name, hint=f"{len([f for f in one['fields'] if f['stored']])} columns")
                added += [f"Mutation.create{name}", f"Query.get{name}"]
                continue
            met.add(was["name"])
            items = self.items(was["name"])
            if was["name"] != name:
                step("renameTable", "additive", f"Rename table {was['name']} to {name}", name, items=items, hint="Items are kept. Existing app builds use the old name.")
                breaking.append(f"{was['name']} is now {name}.")
            seen = set()
            for f in one["fields"]:
                old_name = field_was.get((name, f["name"]), f["name"])
                before_field = next((each for each in was["fields"] if each["name"] == old_name), None)
                if not before_field:
                    if f["stored"]:
                        step("addColumn", "additive", f"Add column {name}.{f['name']}", name, f["name"], items)
                        if f["required"]:
                            breaking.append(f"Create{name}Input.{f['name']} is required.")
                            if items:
                                step("needsValues", "needsValues", f"{items:,} items lack {f['name']}", name, f["name"], items, type=f["type"], hint="Clients would get a field error.")
                    added.append(f"{name}.{f['name']}")
                    continue
                seen.add(old_name)
                if old_name != f["name"]:
                    step("renameColumn", "additive", f"Rename column {name}.{old_name} to {f['name']}", name, f["name"], items, hint="Items keep their values. Existing app builds break: they use the old name.")
                    breaking.append(f"{name}.{old_name} is now {f['name']}.")
                lacking = self.missing.get((name, f["name"]), 0)
                if f["required"] and not before_field["required"]:
                    breaking.append(f"Create{name}Input.{f['name']} is required.")
                    if lacking:
                        step("needsValues", "needsValues", f"{lacking:,} items lack {f['name']}", name, f["name"], lacking, type=f["type"], hint="Clients would get a field error.")
                if type_text(f) != type_text(before_field):
                    changed.append(f"{name}.{f['name']}: {type_text(before_field)} → {type_text(f)}")
            for f in was["fields"]:
                if f["name"] not in seen:
                    breaking.append(f"{name}.{f['name']} is removed.")
                    removed.append(f"{name}.{f['name']}")
                    if f["stored"]:
                        step("changeTable", "destructive", f"Stop serving column {name}.{f['name']}", name, f["name"], items, lostValues=items)
            for key in one["keys"]:
                if key["name"] and not any(each["name"] == key["name"] for each in was["keys"]):
                    step("addIndex", "index", f"Build index {key['name']} of {name}", name, None, items, index=key["name"], seconds=2, time="seconds", hint=f"{items:,} items")
        for name in types:
            if name not in met:
                step("changeTable", "destructive", f"Stop serving table {name}", name, None, self.items(name), removedItems=self.items(name))
                breaking.append(f"{name} is removed.")
                removed += [f"Mutation.create{name}", f"Query.get{name}"]
        summary = {risk: sum(1 for one in steps if one["risk"] == risk) for risk in ("additive", "index", "needsValues", "destructive", "impossible")}
        return {"planHash": hashlib.sha256(json.dumps([steps, files]).encode()).hexdigest()[:16], "base": hash_of(self.disk), "summary": summary, "reversible": summary["destructive"] == 0, "canDeploy": self.allowed, "reason": self.reason, "steps": steps,
                "leftovers": [], "clients": {"compatible": not breaking, "breaking": breaking}, "api": {"added": added, "removed": removed, "changed": changed}, "ownerless": [], "possibleRenames": [], "diff": unified(before, files), "diagnostics": new.diagnostics}

    def deploy(self, body, by, port):
        if not self.allowed:
            raise Refused(403, "forbidden", self.reason)
        if self.running:
            raise Refused(409, "conflict", "Another deployment runs.", job=self.running)
        if body["base"] != hash_of(self.disk):
            raise Refused(409, "conflict", "The files changed on disk since the draft began.", hash=hash_of(self.disk), files=[], diff=[])
        plan = self.plan(body["files"], body.get("renames", []))
        if plan["planHash"] != body["planHash"]:
            raise Refused(409, "conflict", "The plan changed.", plan=plan)
        open_ = [one["id"] for one in plan["steps"] if one["risk"] in ("destructive", "needsValues") and one["id"] not in body.get("accept", []) and f"{one['model']}.{one['field']}" not in body.get("backfill", {})]
        if open_:
            raise Refused(409, "needs_confirmation", "Steps are to be confirmed.", steps=open_)
        names = ["check", *(["backup"] if plan["summary"]["destructive"] else []), "write", "migrate", "switch", "verify"]
        job = {"id": f"d{len(self.jobs) + 1}", "kind": "schema.deploy", "target": None, "by": by, "state": "running", "startedAt": None, "endedAt": None, "steps": [{"name": name, "state": "waiting", "milliseconds": None} for name in names], "progress": None, "result": None, "error": None}
        self.jobs[job["id"]] = self.running = job
        self.backfilled = body.get("backfill", {})
        asyncio.ensure_future(self.run(job, body, plan, by, port))
        return job

    async def run(self, job, body, plan, by, port):
        started, before = time.monotonic(), dict(self.disk)
        for step in job["steps"]:
            step["state"] = "running"
            self.publish("jobs", job)
            await asyncio.sleep(self.pause)
            if self.fail_at == step["name"]:
                self.fail_at = None
                step["state"] = "failed"
                for other in job["steps"]:
                    if other["state"] == "waiting":
                        other["state"] = "skipped"
                self.disk = before
                if self.grown:
                    job |= {"state": "failed", "error": {"code": "conflict", "message": "More would be lost than the plan says.", "details": {"step": step["name"], "plan": self.grown}}}
                    self.grown = None
                else:
                    job |= {"state": "failed", "error": {"code": "internal", "message": "The disk is full.", "hint": "Free some space, then deploy again.", "details": {"step": step["name"]}}}
                self.running = None
                self.publish("jobs", job)
                return
            if step["name"] == "write":
                self.disk = dict(body["files"])
            step |= {"state": "done", "milliseconds": round(self.pause * 1000)}
        self.served = dict(self.disk)
        self.running = None
        number = self.record(before, self.disk, by, renames=body.get("renames", []))
        job |= {"state": "done", "result": {"deployment": number, "milliseconds": round((time.monotonic() - started) * 1000), "pull": f"syncline pull http://127.0.0.1:{port} --env dev", "endedSubscriptions": 0}}
        for key in self.backfilled:
            self.missing.pop(tuple(key.split(".")), None)
        self.publish("jobs", job)
        self.publish("schema", {"hash": hash_of(self.disk), "deployment": number})
        self.drafts.clear()


def add_routes(routes, base, server, state, port, Fault):
    """The routes of the schema in the mock server."""
    from aiohttp import web

    def answer(make):
        try:
            return web.json_response(make())
        except Refused as refused:
            raise Fault(refused.code, {403: "forbidden", 404: "not_found", 409: "needs_confirmation" if refused.details["refusal"] == "needs_confirmation" else "conflict", 413: "too_large", 422: "invalid"}[refused.code], refused.message, details=refused.details, **({"hint": refused.hint} if refused.hint else {}))

    @routes.get(f"{base}/schema")
    async def schema(request):
        server.need(request)
        return web.json_response(state.get())

    @routes.post(f"{base}/schema/check")
    async def check(request):
        server.need(request)
        body = await request.json()
        return answer(lambda: state.check(body["files"]))

    @routes.post(f"{base}/schema/edit")
    async def edit_(request):
        server.need(request)
        body = await request.json()
        return answer(lambda: edit(body["files"], body.get("edits") or [body["edit"]]))

    @routes.post(f"{base}/schema/merge")
    async def merge(request):
        server.need(request)
        body = await request.json()
        files = {}
        for name, base_text in body["base"].items():
            mine, theirs = body["files"][name].splitlines(True), state.disk[name].splitlines(True)
            old = base_text.splitlines(True)
            ops = lambda other: [(a, b, other[c:d]) for tag, a, b, c, d in difflib.SequenceMatcher(None, old, other, autojunk=False).get_opcodes() if tag != "equal"]
            ours, others = ops(mine), ops(theirs)
            if any(a <= d and c <= b for a, b, _ in ours for c, d, _ in others):
                raise Fault(409, "conflict", f"The draft and another change edit the same lines of {name}.", hint="Compare both and choose.", details={"refusal": "conflict"})
            for a, b, lines in sorted(ours + others, reverse=True, key=lambda one: one[0]):
                old[a:b] = lines
            files[name] = "".join(old)
        read = Read(files)
        return web.json_response({"files": files, "hash": hash_of(state.disk), "model": read.model, "diagnostics": read.diagnostics})

    def draft_of(session):
        found = state.drafts.get(session["operator"])
        return {"draft": found, "hash": hash_of(state.disk)}

    @routes.get(f"{base}/schema/draft")
    async def draft(request):
        return web.json_response(draft_of(server.need(request, "owner")))

    @routes.put(f"{base}/schema/draft")
    async def put(request):
        session, body = server.need(request, "owner"), await request.json()
        if body["files"] == body["baseFiles"]:
            state.drafts.pop(session["operator"], None)
        else:
            state.drafts[session["operator"]] = {**body, "savedAt": datetime.now(timezone.utc).isoformat()}
        return web.json_response(draft_of(session))

    @routes.delete(f"{base}/schema/draft")
    async def drop(request):
        state.drafts.pop(server.need(request, "owner")["operator"], None)
        return web.json_response({"draft": None})

    @routes.post(f"{base}/schema/plan")
    async def plan(request):
        server.need(request, "owner")
        body = await request.json()
        return answer(lambda: state.plan(body["files"], body.get("renames", [])))

    @routes.post(f"{base}/schema/deploy")
    async def deploy(request):
        session, body = server.need(request, "owner"), await request.json()
        response = answer(lambda: {"job": state.deploy(body, session["operator"], port)})
        response.set_status(202)
        return response

    @routes.get(f"{base}/schema/deployments")
    async def deployments(request):
        server.need(request)
        slim = [{k: v for k, v in one.items() if k not in ("files", "renames", "plan", "diff")} for one in reversed(state.deployments)]
        return web.json_response({"items": slim, "next": None})

    @routes.get(base + "/schema/deployments/{number}")
    async def deployment(request):
        server.need(request)
        found = next((one for one in state.deployments if str(one["number"]) == request.match_info["number"]), None)
        if not found:
            raise Fault(404, "not_found", "There is no such deployment.")
        last = found is state.deployments[-1] and len(state.deployments) > 1
        return web.json_response(found | {"undo": {"files": state.deployments[-2]["files"], "renames": [{"type": one["type"], "field": one["to"], "to": one["field"]} if one.get("field") else {"type": one["to"], "to": one["type"]} for one in reversed(found["renames"])]} if last and found["reversible"] else None})

    @routes.get(f"{base}/schema/diagram")
    async def positions(request):
        server.need(request)
        return web.json_response({"positions": state.positions})

    @routes.patch(f"{base}/schema/diagram")
    async def move(request):
        server.need(request, "owner")
        for name, at in (await request.json())["positions"].items():
            state.positions.pop(name, None) if at is None else state.positions.update({name: at})
        return web.json_response({"positions": state.positions})

    @routes.post("/mock/schema")
    async def switch(request):
        """Changes what tests need: {"disk": {…}, "failAt": "migrate", "pause": 0.5, "missing": {"Room.note": 1000}}"""
        body = await request.json()
        if "disk" in body:
            state.disk = body["disk"]
            if body.get("served"):
                state.served = dict(state.disk)
            state.publish("schema", {"hash": hash_of(state.disk), "deployment": None})
        state.fail_at = body.get("failAt", state.fail_at)
        if "grow" in body:
            # The next failing deployment answers the plan of these files.
            state.grown = state.plan(body["grow"], [])
        state.pause = body.get("pause", state.pause)
        state.drafts = body.get("drafts", state.drafts)
        state.missing |= {tuple(key.split(".")): value for key, value in body.get("missing", {}).items()}
        return web.json_response({"disk": state.disk, "served": state.served, "drafts": state.drafts, "positions": state.positions, "backfilled": getattr(state, "backfilled", {})})
