import GraphQL
import JSON
import Testing

@testable import API

@Suite("The operators of event filters", .bothExecutors) struct EventOperatorTests {
    private static func operands(_ json: String) throws -> [EventValue] {
        guard case .array(let values) = try JSONReader.read(json) else { return [] }
        return values.compactMap { EventValue($0) }
    }

    /// The operator, its operands, fields that meet it and fields that do not; an event without the field is `none`.
    @Test(
        "each is met by these fields, and not by those",
        arguments: [
            ("eq", "[5]", ["5", "5.0", "5e0"], [#""5""#, "6", "true", "null", "none", "[5]", "{}"]),
            ("eq", "[2.5]", ["2.5", "25e-1"], ["2", "null"]),
            ("eq", #"["a"]"#, [#""a""#, #""\u0061""#], [#""A""#, #""á""#, "null", #"["a"]"#]),
            ("eq", "[true]", ["true"], ["false", "1", #""true""#]),
            ("eq", "[null]", ["null", "none"], ["0", #""""#, "false", "[]", "{}"]),
            ("ne", "[5]", ["6", #""5""#, "null", "none", "[5]", "{}"], ["5", "5.0"]),
            ("lt", "[5]", ["4", "4.9", "-1e30"], ["5", "6", #""4""#, "null", "none", "true"]),
            ("le", "[5]", ["4", "5", "5.0"], ["5.1", #""4""#, "null", "none"]),
            ("gt", "[5]", ["6", "5.1", "1e30"], ["5", "4", #""6""#, "null", "none"]),
            ("ge", "[5]", ["6", "5"], ["4.9", #""6""#, "null", "none"]),
            ("lt", #"["b"]"#, [#""a""#, #""B""#, #""""#], [#""b""#, #""ba""#, "1", "null"]),
            ("ge", #"["b"]"#, [#""b""#, #""ba""#, #""é""#], [#""a""#, "none"]),
            ("between", "[2, 4]", ["2", "3.5", "4"], ["1.9", "4.1", #""3""#, "null", "none"]),
            ("between", #"["b", "d"]"#, [#""b""#, #""c""#, #""d""#], [#""a""#, #""da""#, "3"]),
            ("between", "[2]", [], ["2"]),
            ("contains", #"["bc"]"#, [#""abcd""#, #""bc""#, #"["a", "bc"]"#], [#""b""#, #"["abc"]"#, "null", "none"]),
            ("contains", "[2]", ["[1, 2.0]"], ["[1]", "2", #""2""#, "none"]),
            ("contains", #"[""]"#, [#""""#, #""a""#], ["null"]),
            ("notContains", #"["bc"]"#, [#""b""#, #"["abc"]"#, "null", "none", "3"], [#""abcd""#, #"["bc"]"#]),
            ("beginsWith", #"["ab"]"#, [#""ab""#, #""abc""#], [#""a""#, #""xab""#, #"["ab"]"#, "null", "none"]),
            ("in", #"[1, "a"]"#, ["1", "1.0", #""a""#], ["2", #""1""#, "null", "none", "[1]"]),
            ("in", "[]", [], ["1", "none"]),
            ("notIn", #"[1, "a"]"#, ["2", #""b""#, "null", "none", "[1]"], ["1", #""a""#]),
            ("containsAny", #"[1, "a"]"#, [#"["b", "a"]"#, "[1.0]"], ["[]", "[2]", "1", #""a""#, "null", "none"]),
        ])
    func operators(name: String, operands: String, met: [String], unmet: [String]) throws {
        let operation = try #require(EventOperator(rawValue: name))
        let operands = try Self.operands(operands)
        for (fields, isMet) in [(met, true), (unmet, false)] {
            for field in fields {
                let value = field == "none" ? nil : try JSONReader.read(field)
                #expect(operation.holds(of: value, operands) == isMet, "\(name) \(operands) of \(field)")
            }
        }
    }

    @Test("a rule reaches into nested objects by its path, and is missing where a step leads nowhere")
    func paths() throws {
        let event = try JSONReader.read(#"{"a": {"b": {"c": 1}, "l": [{"c": 1}]}, "n": null}"#)
        func rule(_ path: String, _ operation: EventOperator = .eq, _ operand: EventValue = .integer(1)) -> Bool {
            var allowance = StepAllowance()
            return EventRule(
                path: path.split(separator: ".").map(String.init), operation: operation, operands: [operand]
            )
            .holds(of: event, &allowance)
        }
        #expect(rule("a.b.c") && !rule("a.b") && !rule("a.l.c") && !rule("n.x") && !rule("x"))
        #expect(rule("n.x", .ne) && rule("n.x", .eq, .null) && rule("a.b", .ne) && !rule("a.b", .eq, .null))
    }

    @Test("what an argument was coerced to equals what an event holds, by value")
    func values() throws {
        let pairs: [(CoercedValue, String, Bool)] = [
            (.int(5), "5.0", true), (.double(5), "5", true), (.double(0.1), "0.1", true),
            (.enumValue("RED"), #""RED""#, true),
            (.string("5"), "5", false), (.int(.max), "9223372036854775807", true),
            (.int(.max), "9223372036854775806", false),
            (.null, "null", true), (.bool(false), "0", false), (.string("e\u{301}"), #""é""#, false),
        ]
        for (argument, field, isEqual) in pairs {
            #expect((EventValue(argument) == EventValue(try JSONReader.read(field))) == isEqual, "\(argument) \(field)")
        }
        #expect(EventValue(CoercedValue.list([])) == nil && EventValue(CoercedValue.object([])) == nil)
    }

    @Test("a group is found once by any of its conjunctions; equalities select it, the other rules are tested")
    func index() throws {
        let service = try Service(SubscriptionTests.schema)
        let subscriber = try service.subscribe("subscription { onTodo { id } }")
        let operation = try #require(service.context.registry.groups.values.first).operation
        func rule(_ name: String, _ operation: EventOperator, _ value: Int64) -> EventRule {
            EventRule(path: [name], operation: operation, operands: [.integer(value)])
        }
        func group(_ conjunctions: [[EventRule]]) -> SubscriptionGroup {
            let filter = SubscriptionFilter(conjunctions: conjunctions)
            return SubscriptionGroup(
                SubscriptionOperation(
                    api: operation.api, field: operation.field, subscription: operation.subscription, given: nil,
                    variables: .none, filter: filter, decisions: operation.decisions,
                    passedIdentity: operation.passedIdentity, plan: operation.plan), for: .apiKey)
        }
        let groups = [
            group([[rule("a", .eq, 1), rule("b", .eq, 2)]]),
            group([[rule("b", .eq, 2), rule("a", .eq, 1)], [rule("a", .eq, 1)], [rule("c", .gt, 0)]]),
            group([[rule("a", .eq, 1), rule("c", .lt, 5)], [rule("a", .eq, 1), rule("c", .gt, 8)]]),
            group([[rule("a", .eq, 1), rule("a", .eq, 2)]]), group([[rule("d", .ne, 1)]]),
        ]
        var index = GroupIndex()
        for group in groups { index.insert(group) }
        var number: UInt64 = 0
        func found(_ json: String) throws -> [Int] {
            number += 1
            let topic = try #require(operation.subscription.topics.first)
            let event = Event(
                topic: topic, tree: try JSONReader.read(json), origin: ObjectIdentifier(operation.field), byteCount: 0)
            var search = index.search(for: PublishedEvent(number: number, event: event))
            var allowance = StepAllowance()
            var wanting: [SubscriptionGroup] = []
            while case .wanting(let group)? = search.next(&allowance, behind: DelayedMatching()) {
                wanting.append(group)
            }
            #expect(search.isOver)
            #expect(Set(wanting.map { ObjectIdentifier($0) }).count == wanting.count)
            return groups.indices.filter { position in wanting.contains { $0 === groups[position] } }
        }
        #expect(try found(#"{"a": 1, "b": 2, "c": 9, "d": 1}"#) == [0, 1, 2])
        #expect(try found(#"{"a": 1, "c": 6}"#) == [1, 4])
        #expect(try found(#"{"b": 2, "d": 1}"#) == [])
        #expect(try found(#"{"a": [1], "c": 1, "d": 1}"#) == [1])
        for group in groups.dropFirst() { index.remove(group) }
        #expect(try found(#"{"a": 1, "b": 2}"#) == [0])
        index.remove(groups[0])
        #expect(index.isEmpty)
        service.cancel(subscriber)
    }
}
