import GraphQL
import JSON
import Tables
import Testing
import Transformer

@testable import API

@Suite("Fields of functions", .bothExecutors) struct PipelineTests {
    static let schema = """
        enum Color { RED GREEN }
        interface Shape { name: String }
        type Circle implements Shape { name: String area: Float @function(name: "area") }
        type Square implements Shape { name: String side: Int }
        input Point { x: Int y: Int = 2 data: AWSJSON }
        type Query {
          echo(text: String = "d", n: Int, color: Color, json: AWSJSON, point: Point, at: AWSTimestamp): String
            @function(name: "echo")
          number: Int @function(name: "echo")
          must: Int! @function(name: "echo")
          numbers: [Int!] @function(name: "echo")
          sum: Sum @function(name: "echo")
          sums: [Sum] @function(name: "echo")
          chain(text: String): String @function(name: "first") @function(name: "second") @function(name: "third")
          post: Post @function(name: "post")
          posts: [Post!] @function(name: "posts")
          shapes: [Shape] @function(name: "shapes")
          page: Page @function(name: "page")
        }
        type Page { items: [Post] nextToken: String }
        type Sum { total: Int! detail: String @function(name: "detail") next: Sum }
        type Post @model @key(name: "byAuthor", fields: ["authorID", "n"]) {
          id: ID! title: String authorID: ID n: Int flag: Boolean tags: [String] place: Place
          badge(size: Int): String @function(name: "badge")
          author: Author @connection(fields: ["authorID"])
        }
        type Place { city: String label: String @function(name: "label") inner: Place }
        type Author @model {
          id: ID! name: String posts: [Post] @connection(keyName: "byAuthor", fields: ["id"])
          badge: String @function(name: "badge")
        }
        type Mutation {
          fire(n: Int): Sum @function(name: "fire")
          must: Int! @function(name: "fire")
          strict(n: Int! = 1): Int @function(name: "fire")
        }
        type Subscription { onFire: Sum @aws_subscribe(mutations: ["fire"]) }
        """

    static let posts = """
        mutation {
          ann: createAuthor(input: {id: "ann", name: "Ann"}) { id }
          a: createPost(input: {id: "a", title: "A", authorID: "ann", n: 1, flag: true, tags: ["x"],
            place: {city: "Rome", inner: {city: "Bari"}}}) { id }
          b: createPost(input: {id: "b", title: "B", authorID: "ann", n: 2}) { id }
          c: createPost(input: {id: "c", title: "C"}) { id }
        }
        """

    /// A service with the posts, whose functions answer so.
    private func service(
        _ handlers: [String: FakeFunctions.Handler], options: APIOptions = APIOptions()
    ) throws -> (Service, FakeFunctions) {
        let functions = FakeFunctions(handlers)
        let service = try functions.service(Self.schema, options: options)
        try service.seed(Self.posts)
        return (service, functions)
    }

    // MARK: - The event

    @Test("the event of a root field has its keys in the order of AppSync, and the headers of the request")
    func rootEvent() throws {
        let (service, functions) = try service(["echo": { _ in .json("\"hi\"") }])
        let headers = JSONObject([("host", .string("h")), ("x-a", .array([.string("1"), .string("2")]))])
        let pending = try service.begin(#"{ said: echo(text: "t", n: 3) }"#, headers: headers)
        try service.run { pending.text != nil }
        #expect(pending.text == #"{"data":{"said":"hi"}}"#)
        #expect(
            functions.events(of: "echo") == [
                #"{"typeName":"Query","fieldName":"echo","arguments":{"text":"t","n":3},"identity":null,"source":null,"#
                    + #""request":{"headers":{"host":"h","x-a":["1","2"]},"domainName":null},"prev":{"result":{}}}"#
            ])
    }

    @Test(
        "arguments are given with their defaults, as the values that a resolver sees",
        arguments: [
            ("echo", "null", #"{"text":"d"}"#), ("echo(color: GREEN)", "null", #"{"text":"d","color":"GREEN"}"#),
            ("echo(text: null, at: 5)", "null", #"{"text":null,"at":5}"#),
            (#"echo(json: "{\"a\":[1]}")"#, "null", #"{"text":"d","json":{"a":[1]}}"#),
            (
                #"echo(point: {x: 1, data: "[true]"})"#, "null",
                #"{"text":"d","point":{"x":1,"y":2,"data":[true]}}"#
            ),
            ("echo(n: $n)", "null", #"{"text":"d","n":null}"#), ("echo(n: $n)", #"{"n": 4}"#, #"{"text":"d","n":4}"#),
            ("echo(n: $n)", #"{"n": null}"#, #"{"text":"d","n":null}"#),
        ])
    func arguments(field: String, variables: String, expected: String) throws {
        let (service, _) = try service(["echo": { .value(.string(($0["arguments"] ?? .null).description)) }])
        let query = field.contains("$n") ? "query Q($n: Int) { \(field) }" : "{ \(field) }"
        #expect(try service.value(query, variables, at: "echo")?.stringValue == expected)
    }

    @Test("a field of a model has an event for each item, with the whole item as its source")
    func itemEvents() throws {
        let (service, functions) = try service(["badge": { .value($0["source"]?["title"]) }])
        try service.expect(
            "{ listPosts { items { title small: badge(size: 1) } } }",
            data:
                #"{"listPosts":{"items":[{"title":"A","small":"A"},{"title":"B","small":"B"},{"title":"C","small":"C"}]}}"#
        )
        let events = try functions.events(of: "badge").map { try JSONReader.read($0) }
        #expect(events.map { $0["typeName"] } == ["Post", "Post", "Post"])
        #expect(events.map { $0["fieldName"] } == ["badge", "badge", "badge"])
        #expect(events.map { $0["arguments"]?.description } == Array(repeating: #"{"size":1}"#, count: 3))
        let first = events.compactMap { $0["source"] }.first { $0["id"] == "a" }
        #expect(first?["authorID"] == "ann" && first?["flag"] == true && first?["n"] == 1)
        #expect(first?["tags"]?.description == #"["x"]"# && first?["place"]?["inner"]?["city"] == "Bari")
        #expect(first?["createdAt"]?.stringValue != nil)
        let last = try #require(events.compactMap { $0["source"]?.objectValue }.first { $0["id"] == "c" })
        #expect(last["flag"] == nil && last["authorID"] == nil)
    }

    /// A caller of each mode, and what functions receive of it.
    private static let callers: [(caller: Identity, identity: String)] = {
        let claims: JSONObject = [
            "iss": "https://i/p", "sub": "s-ann", "cognito:username": "ann", "cognito:groups": ["staff"], "team": "t",
            "auth_time": 7,
        ]
        let addresses = #""sourceIp":["10.0.0.1","10.0.0.2"]"#
        // {"sub":"s","x":1}
        let token = Array("e30.eyJzdWIiOiJzIiwieCI6MX0.c2ln".utf8)
        let signer: JSONObject = [
            "accountId": "0", "cognitoIdentityPoolId": "p", "cognitoIdentityId": "i",
            "cognitoIdentityAuthType": "authenticated", "username": "u",
        ]
        let foreign: JSONObject = ["iss": "https://o", "sub": "o", "x": [1]]
        return [
            (
                .userPools(IdentityToken(claims: claims), claims: ["team"]),
                #"{"sub":"s-ann","issuer":"https://i/p","username":"ann","claims":\#(JSONValue.object(claims)),"#
                    + #"\#(addresses),"defaultAuthStrategy":"ALLOW","groups":["staff"]}"#
            ),
            (
                .userPools(IdentityToken(claims: ["sub": "s"], text: token), claims: []),
                #"{"sub":"s","issuer":null,"username":null,"claims":{"sub":"s","x":1},"#
                    + #"\#(addresses),"defaultAuthStrategy":"ALLOW","groups":null}"#
            ),
            (
                .oidc(IdentityToken(claims: foreign), claims: []),
                #"{"sub":"o","issuer":"https://o","claims":\#(JSONValue.object(foreign))}"#
            ),
            (
                .iam(user: "arn:a", poolRole: nil, context: signer),
                #"{"accountId":"0","cognitoIdentityPoolId":"p","cognitoIdentityId":"i",\#(addresses),"username":"u","#
                    + #""userArn":"arn:a","cognitoIdentityAuthType":"authenticated","cognitoIdentityAuthProvider":null}"#
            ),
            (.lambda(deniedFields: [], context: ["tenant": "t"]), #"{"resolverContext":{"tenant":"t"}}"#),
            (.apiKey, "null"),
        ]
    }()

    @Test(
        "the event has the whole identity of each mode: all claims of a token, and where the request came from",
        arguments: callers)
    func identity(caller: Identity, expected: String) throws {
        let functions = FakeFunctions(["echo": { .value(.string(($0["identity"] ?? .null).description)) }])
        let service = try functions.service(
            Self.schema, transform: TransformOptions(authModes: [caller.mode]))
        let request = try service.begin("{ echo }", from: ["10.0.0.1", "10.0.0.2"], as: caller)
        try service.run { request.text != nil }
        let answer = try JSONReader.read(try #require(request.text))
        #expect(answer["data"]?["echo"]?.stringValue == expected, "\(answer)")
    }

    // MARK: - Pipelines

    @Test("functions of one field are called in their order, each with the original arguments and the result before")
    func chain() throws {
        let (service, functions) = try service([
            "first": { _ in .json(#"{"a": [1]}"#) },
            "second": { .value(.string(($0["prev"]?["result"] ?? .null).description)) },
            "third": { event in .value(.string((event["prev"]?["result"]?.stringValue ?? "?") + "!")) },
        ])
        try service.expect(#"{ chain(text: "t") }"#, data: #"{"chain":"{\"a\":[1]}!"}"#)
        #expect(functions.names == ["first", "second", "third"])
        for name in functions.names {
            #expect(functions.events(of: name).allSatisfy { $0.contains(#""arguments":{"text":"t"}"#) })
        }
        #expect(functions.events(of: "first")[0].hasSuffix(#""prev":{"result":{}}}"#))
    }

    @Test("the first function that fails ends the chain with its error")
    func brokenChain() throws {
        let (service, functions) = try service(["first": { _ in .unhandled("boom") }, "echo": { _ in .json("1") }])
        try service.expect(
            "{ chain number }", data: #"{"chain":null,"number":1}"#, errors: ["chain Lambda:Unhandled: boom"])
        #expect(!functions.names.contains("second") && !functions.names.contains("third"))
    }

    @Test("a step whose answer is null is a value for the next step")
    func nullResult() throws {
        let (service, _) = try service([
            "first": { _ in .json("null") }, "second": { _ in .json("\"s\"") },
            "third": { .value($0["prev"]?["result"]) },
        ])
        try service.expect("{ chain }", data: #"{"chain":"s"}"#)
    }

    // MARK: - Values and errors

    @Test(
        "an answer is completed by the type of its field",
        arguments: [
            ("number", "7", "7", [] as [String]), ("number", "null", "null", []),
            (
                "number", #""x""#, "null",
                ["number Can't serialize value (/number) : Expected type 'Int' but was 'String'."]
            ),
            (
                "number", "", "null",
                ["number Lambda:IllegalArgument: Unable to parse the response of the function 'echo' as JSON."]
            ),
            (
                "number", "{", "null",
                ["number Lambda:IllegalArgument: Unable to parse the response of the function 'echo' as JSON."]
            ),
            ("numbers", "[1,2]", "[1,2]", []),
            (
                "numbers", "[1,null]", "null",
                ["numbers/1 Cannot return null for non-nullable type: 'Int' within parent 'Query' (/numbers[1])"]
            ),
            ("sum { t: total }", #"{"total": 3, "extra": [1]}"#, #"{"t":3}"#, []),
            (
                "sum { total }", "[]", "null",
                ["sum Can't resolve value (/sum) : type mismatch error, expected type OBJECT"]
            ),
            (
                "sums { total }", #"[{"total": 1}, {}, null]"#, #"[{"total":1},null,null]"#,
                ["sums/1/total Cannot return null for non-nullable type: 'Int' within parent 'Sum' (/sums[1]/total)"]
            ),
            (
                "sum { next { next { total } } }", #"{"next": {"next": {"total": 5}}}"#,
                #"{"next":{"next":{"total":5}}}"#, []
            ),
        ])
    func values(selection: String, json: String, value: String, errors: [String]) throws {
        let (service, _) = try service(["echo": { _ in .json(json) }])
        let name = selection.prefix { $0.isLetter }
        try service.expect("{ \(selection) }", data: #"{"\#(name)":\#(value)}"#, errors: errors)
    }

    @Test("a failure at a field that may not be null makes its parent null, and other fields keep their values")
    func nonNull() throws {
        let (service, _) = try service(["echo": { _ in .unhandled("no") }])
        try service.expect("{ must }", data: "null", errors: ["must Lambda:Unhandled: no"])
        let (other, _) = try self.service([
            "echo": { _ in .json(#"[{"total": 1}, {"total": 2}]"#) },
            "detail": { $0["source"]?["total"] == 1 ? .unhandled("one") : .json("\"two\"") },
        ])
        try other.expect(
            "{ sums { detail total } }", data: #"{"sums":[{"detail":null,"total":1},{"detail":"two","total":2}]}"#,
            errors: ["sums/0/detail Lambda:Unhandled: one"])
    }

    @Test("an answer that nests deeper than is read is an error of its field")
    func deepAnswer() throws {
        let text = String(repeating: "[", count: 300) + String(repeating: "]", count: 300)
        let (service, _) = try service(["echo": { _ in .json(text) }])
        try service.expect(
            "{ number }", data: #"{"number":null}"#,
            errors: ["number Lambda:IllegalArgument: Unable to parse the response of the function 'echo' as JSON."])
    }

    @Test("without functions in the environment a field is an error that names its function")
    func noFunctions() throws {
        let service = try Service(Self.schema)
        try service.expect(
            "{ number }", data: #"{"number":null}"#,
            errors: ["number Lambda:ResourceNotFoundException: Function not found: echo"])
    }

    // MARK: - What is below an answer

    @Test("an answer of a model's type has its connections read below, and the pipelines of its fields run")
    func models() throws {
        let (service, functions) = try service([
            "post": { _ in .json(#"{"id": "zzz", "title": "T", "authorID": "ann"}"#) },
            "posts": { _ in .json(#"[{"id": "1", "authorID": "ann"}, {"id": "2"}, {"id": 3, "authorID": "nobody"}]"#) },
            "badge": { .value(.string("b-\($0["source"]?["id"]?.stringValue ?? "?")")) },
        ])
        try service.expect(
            """
            { post { id title n author { name badge posts(limit: 1) { items { id badge place { city } } } } badge }
              posts { id a: author { id } b: author { name } } }
            """,
            data: #"{"post":{"id":"zzz","title":"T","n":null,"author":{"name":"Ann","badge":"b-ann","posts":{"items":["#
                + #"{"id":"a","badge":"b-a","place":{"city":"Rome"}}]}},"badge":"b-zzz"},"#
                + #""posts":[{"id":"1","a":{"id":"ann"},"b":{"name":"Ann"}},{"id":"2","a":null,"b":null},"#
                + #"{"id":"3","a":null,"b":null}]}"#)
        #expect(functions.events(of: "badge").count == 3)
        #expect(
            functions.events(of: "badge").contains {
                $0.contains(#""source":{"id":"zzz","title":"T","authorID":"ann"}"#)
            })
    }

    @Test("what a token of a page continues below an answer is the page after it")
    func pages() throws {
        let (service, _) = try service(["post": { _ in .json(#"{"id": "z", "authorID": "ann"}"#) }])
        let query =
            "query Q($t: String) { post { author { posts(limit: 1, nextToken: $t) { items { id } nextToken } } } }"
        let first = try service.value(query, at: "post", "author", "posts")
        #expect(first?["items"]?.description == #"[{"id":"a"}]"#)
        let token = try #require(first?["nextToken"]?.stringValue)
        let second = try service.value(query, #"{"t": "\#(token)"}"#, at: "post", "author", "posts")
        #expect(second?["items"]?.description == #"[{"id":"b"}]"#)
    }

    @Test("an answer with the page of a model has connections below its items")
    func pageOfItems() throws {
        let (service, _) = try service([
            "page": { _ in .json(#"{"items": [{"id": "1", "authorID": "ann"}, null], "nextToken": "n"}"#) }
        ])
        try service.expect(
            "{ page { items { id author { name } } nextToken } }",
            data: #"{"page":{"items":[{"id":"1","author":{"name":"Ann"}},null],"nextToken":"n"}}"#)
    }

    @Test("a pipeline below nested objects has the object as its source, of an answer and of a stored item")
    func nestedObjects() throws {
        let (service, functions) = try service([
            "echo": { _ in .json(#"{"total": 1, "more": 5, "next": {"total": 2, "next": {"total": 3}}}"#) },
            "detail": { .value(.string("d\($0["source"]?["total"]?.description ?? "?")")) },
            "label": { .value(.string("in \($0["source"]?["city"]?.stringValue ?? "?")")) },
        ])
        try service.expect(
            "{ sum { detail next { total next { d: detail } } } }",
            data: #"{"sum":{"detail":"d1","next":{"total":2,"next":{"d":"d3"}}}}"#)
        #expect(functions.events(of: "detail")[0].contains(#""source":{"total":1,"more":5,"#))
        try service.expect(
            #"{ getPost(id: "a") { place { label inner { city label } } tags } none: getPost(id: "c") { place { label } } }"#,
            data: #"{"getPost":{"place":{"label":"in Rome","inner":{"city":"Bari","label":"in Bari"}},"tags":["x"]},"#
                + #""none":{"place":null}}"#)
        #expect(functions.events(of: "label").count == 2)
        #expect(functions.events(of: "label").allSatisfy { $0.hasPrefix(#"{"typeName":"Place","fieldName":"label""#) })
    }

    @Test("fields of interfaces are run on the objects of the types that have them")
    func interfaces() throws {
        let (service, functions) = try service([
            "shapes": { _ in
                .json(#"[{"__typename": "Circle", "name": "c"}, {"__typename": "Square", "name": "s", "side": 2}]"#)
            }, "area": { _ in .json("3.5") },
        ])
        try service.expect(
            "{ shapes { __typename name ... on Circle { area } ... on Square { side } } }",
            data:
                #"{"shapes":[{"__typename":"Circle","name":"c","area":3.5},{"__typename":"Square","name":"s","side":2}]}"#
        )
        #expect(functions.events(of: "area").count == 1)
    }

    @Test("a field that @skip leaves out is not called")
    func skipped() throws {
        let (service, functions) = try service(["echo": { _ in .json("1") }])
        try service.expect(
            "query Q($no: Boolean!) { a: number @include(if: $no) b: number @skip(if: $no) __typename }",
            #"{"no": false}"#, data: #"{"b":1,"__typename":"Query"}"#)
        #expect(functions.names == ["echo"])
    }

    @Test(
        "an argument that may not be null and is given null by a variable is an error, and the function is not called")
    func badArguments() throws {
        let functions = FakeFunctions(["f": { _ in .json("1") }])
        let service = try functions.service(
            "type Query { f(n: Int! = 1): Int @function(name: \"f\") g: Int @function(name: \"f\") } type A @model { id: ID! }"
        )
        let answer = try service.run("query Q($n: Int) { f(n: $n) g }", #"{"n": null}"#)
        #expect(answer["data"]?.description == #"{"f":null,"g":1}"#)
        #expect(answer["errors"]?.arrayValue?.count == 1)
        #expect(functions.names.count == 1)
    }

    // MARK: - Levels

    @Test("the calls of one level run together up to the bound of a request, and the next level begins after them")
    func together() throws {
        var options = APIOptions()
        options.limits.functionCallsPerRequestMax = 4
        let functions = FakeFunctions(
            isHeld: true,
            [
                "posts": { _ in .json("[\((0..<7).map { #"{"id":"\#($0)"}"# }.joined(separator: ","))]") },
                "badge": { .value($0["source"]?["id"]) }, "echo": { _ in .json("1") },
            ])
        let service = try functions.service(Self.schema, options: options)
        let pending = try service.begin("{ posts { badge } a: number b: number }")
        try service.run { functions.heldCount == 3 }
        #expect(Set(functions.names) == ["posts", "echo"])
        // One answer of the level does not begin the next one.
        functions.release(1)
        service.loop.drain()
        #expect(functions.names.count == 3)
        functions.release()
        try service.run { functions.heldCount == 4 }
        #expect(functions.names.count { $0 == "badge" } == 4)
        while pending.text == nil {
            try service.run { functions.heldCount > 0 || pending.text != nil }
            functions.release(1)
            service.loop.drain()
        }
        #expect(functions.runningCountMax == 4)
        #expect(
            pending.text
                == #"{"data":{"posts":[\#((0..<7).map { #"{"badge":"\#($0)"}"# }.joined(separator: ","))],"a":1,"b":1}}"#
        )
    }

    @Test("while a function is awaited the loop answers others, and what is read afterwards is new")
    func loopIsFree() throws {
        let functions = FakeFunctions(isHeld: true, ["post": { _ in .json(#"{"id": "z", "authorID": "ann"}"#) }])
        let service = try functions.service(Self.schema)
        try service.seed(Self.posts)
        let pending = try service.begin(#"{ before: getPost(id: "a") { title } post { author { name } } }"#)
        try service.run { functions.heldCount == 1 }
        try service.seed(#"mutation { updateAuthor(input: {id: "ann", name: "New"}) { name } }"#)
        try service.expect(#"{ getAuthor(id: "ann") { name } }"#, data: #"{"getAuthor":{"name":"New"}}"#)
        #expect(pending.text == nil)
        functions.release()
        try service.run { pending.text != nil }
        #expect(pending.text == #"{"data":{"before":{"title":"A"},"post":{"author":{"name":"New"}}}}"#)
    }

    @Test("a field that still waits at the end of the request's time has the error of the time")
    func deadline() throws {
        var options = APIOptions()
        options.limits.executionSeconds = 1
        let functions = FakeFunctions(
            isHeld: true, ["first": { _ in .json("1") }, "echo": { _ in .json("5") }])
        let service = try functions.service(Self.schema, options: options)
        let pending = try service.begin("{ chain number }")
        try service.run { functions.heldCount == 2 }
        let deadline = try #require(functions.calls.first).deadline
        while ContinuousClock.now < deadline {}
        functions.release()
        try service.run { pending.text != nil }
        let answer = try JSONReader.read(pending.text ?? "")
        #expect(answer["data"]?.description == #"{"chain":null,"number":5}"#)
        #expect(
            answer["errors"]?.arrayValue?.map(Service.described) == [
                "chain Lambda:ExecutionTimeoutException: Execution timed out."
            ])
        #expect(!functions.names.contains("second"))
    }

    @Test("a request runs no more pipelines than it may run resolvers")
    func resolverLimit() throws {
        var options = APIOptions()
        options.limits.resolverCountLimit = 3
        let functions = FakeFunctions(["echo": { _ in .json("1") }])
        let service = try functions.service(Self.schema, options: options)
        let fields = (0..<5).map { "f\($0): number" }.joined(separator: " ")
        let answer = try service.run("{ \(fields) }")
        #expect(answer["data"]?.description == #"{"f0":1,"f1":1,"f2":1,"f3":null,"f4":null}"#)
        #expect(functions.names.count == 3)
        #expect(answer["errors"]?.arrayValue?.count == 2)
    }

    @Test("a request that has ended invokes no further function of the pipelines that were running")
    func cancelledSteps() throws {
        var options = APIOptions()
        options.limits.responseBytesMax = 100
        let text = "\"\(String(repeating: "x", count: 900))\""
        let functions = FakeFunctions(
            isHeld: true, ["echo": { _ in .json(text) }, "first": { _ in .json("1") }, "second": { _ in .json("2") }])
        let service = try functions.service(Self.schema, options: options)
        let pending = try service.begin("{ echo chain }")
        try service.run { functions.heldCount == 2 }
        functions.release(1)
        try service.run { pending.text != nil }
        functions.release()
        let other = try service.begin("{ __typename }")
        try service.run { other.text != nil }
        #expect(pending.text?.contains("larger than the server allows") == true)
        #expect(functions.names.sorted() == ["echo", "first"])
    }

    @Test("answers that are larger together than a request may keep end it")
    func keptBytes() throws {
        var options = APIOptions()
        options.limits.responseBytesMax = 1_000
        let text = "\"\(String(repeating: "x", count: 900))\""
        let (service, functions) = try service(["echo": { _ in .json(text) }], options: options)
        let fields = (0..<5).map { "f\($0): echo" }.joined(separator: " ")
        let answer = try service.run("{ \(fields) }")
        #expect(
            answer["errors"]?.arrayValue?.first?["message"]?.stringValue?.contains("larger than the server allows")
                == true)
        #expect(functions.names.count == 5)
    }

    @Test("an operation without a pipeline is not gathered, whatever its schema has")
    func plansThatDoNotWait() throws {
        let service = try Service(Self.schema)
        func waits(_ query: String) throws -> Bool {
            guard case .plan(let plan) = service.api.schema.plan(Array(query.utf8), operationName: nil) else {
                throw TestFailure("no plan")
            }
            return plan.hasPipelines
        }
        #expect(try !waits("{ listPosts { items { title place { city } author { name posts { items { id } } } } } }"))
        #expect(try waits("{ listPosts { items { author { badge } } } }"))
        #expect(try waits(#"{ getPost(id: "a") { place { inner { label } } } }"#))
        #expect(try !waits("subscription { onCreatePost { badge place { label } } }"))
        #expect(service.api.callsFunctions)
        #expect(try !Service("type A @model { id: ID! }").api.callsFunctions)
    }

    // MARK: - Mutations and events

    @Test("root fields of a mutation are run one after the other, functions and writes alike")
    func serialMutation() throws {
        let functions = FakeFunctions(isHeld: true, ["fire": { .value(["total": $0["arguments"]?["n"] ?? .null]) }])
        let service = try functions.service(Self.schema)
        let pending = try service.begin(
            """
            mutation {
              a: fire(n: 1) { total } createPost(input: {id: "p", title: "P"}) { title } b: fire(n: 2) { total }
            }
            """)
        try service.run { functions.heldCount == 1 }
        try service.expect(#"{ getPost(id: "p") { id } }"#, data: #"{"getPost":null}"#)
        functions.release()
        try service.run { functions.heldCount == 1 }
        try service.expect(#"{ getPost(id: "p") { id } }"#, data: #"{"getPost":{"id":"p"}}"#)
        #expect(functions.names.count == 2 && pending.text == nil)
        functions.release()
        try service.run { pending.text != nil }
        #expect(pending.text == #"{"data":{"a":{"total":1},"createPost":{"title":"P"},"b":{"total":2}}}"#)
    }

    @Test("a mutation whose function fails is null, and the root fields after it run; one that may not be null ends it")
    func failingMutation() throws {
        let (service, functions) = try service([
            "fire": { $0["fieldName"] == "fire" ? .unhandled("no") : .json("null") }
        ])
        try service.expect(
            #"mutation { fire { total } createPost(input: {id: "q"}) { id } }"#,
            data: #"{"fire":null,"createPost":{"id":"q"}}"#, errors: ["fire Lambda:Unhandled: no"])
        try service.expect(
            #"mutation { must fire { total } }"#, data: "null",
            errors: ["must Cannot return null for non-nullable type: 'Int' within parent 'Mutation' (/must)"])
        #expect(functions.names.count == 2)
    }

    @Test("fields whose arguments are invalid need no deeper stack, however many a mutation has of them")
    func invalidArguments() throws {
        let (service, functions) = try service(["fire": { _ in .json("1") }])
        let fields = (0..<1_500).map { "f\($0): strict(n: $n)" }.joined(separator: " ")
        let pending = try service.begin("mutation M($n: Int) { \(fields) last: strict }", #"{"n": null}"#)
        try service.run { pending.text != nil }
        let answer = try JSONReader.read(pending.text ?? "")
        #expect(answer["errors"]?.arrayValue?.count == 1_500)
        #expect(answer["data"]?["f1499"] == .null && answer["data"]?["last"] == 1)
        #expect(functions.names == ["fire"])
    }

    @Test("a written item's selection has its pipelines run, with the written item as their source")
    func selectionOfWrite() throws {
        let (service, _) = try service(["badge": { .value($0["source"]?["title"]) }])
        try service.expect(
            #"mutation { createPost(input: {id: "n", title: "N", authorID: "ann"}) { id badge author { badge } } }"#,
            data: #"{"createPost":{"id":"n","badge":"N","author":{"badge":null}}}"#)
        try service.expect(
            #"mutation { updatePost(input: {id: "n", title: "M"}) { badge } deletePost(input: {id: "n"}) { b: badge } }"#,
            data: #"{"updatePost":{"badge":"M"},"deletePost":{"b":"M"}}"#)
    }

    @Test("a mutation of a function is an event for those who follow it, with what it selected; its null is none")
    func events() throws {
        let (service, _) = try service([
            "fire": { $0["arguments"]?["n"] == 0 ? .json("null") : .json(#"{"total": 4, "next": {"total": 5}}"#) },
            "detail": { _ in .json("\"d\"") },
        ])
        let subscriber = try service.subscribe("subscription { onFire { total detail next { total } } }")
        _ = try service.data("mutation { fire(n: 1) { t: total detail } }")
        _ = try service.data("mutation { fire(n: 0) { total } }")
        try service.deliver()
        #expect(subscriber.take() == [#"{"data":{"onFire":{"total":4,"detail":"d","next":null}}}"#])
    }

    @Test("an event of a model has what the mutation's pipelines gave, and calls none for its subscribers")
    func eventOfModel() throws {
        let (service, functions) = try service(["badge": { _ in .json("\"gold\"") }])
        let subscriber = try service.subscribe("subscription { onCreatePost { id badge } }")
        _ = try service.data(#"mutation { createPost(input: {id: "e"}) { id mine: badge } }"#)
        _ = try service.data(#"mutation { createPost(input: {id: "f"}) { id } }"#)
        try service.deliver()
        #expect(
            subscriber.take() == [
                #"{"data":{"onCreatePost":{"id":"e","badge":"gold"}}}"#,
                #"{"data":{"onCreatePost":{"id":"f","badge":null}}}"#,
            ])
        #expect(functions.names == ["badge"])
    }

    @Test("an event that is filled from the item has no value of a function")
    func filledEvents() throws {
        var options = APIOptions()
        options.subscriptions = .fill
        let (service, functions) = try service(
            ["badge": { _ in .json("\"gold\"") }, "label": { _ in .json("\"l\"") }], options: options)
        let subscriber = try service.subscribe("subscription { onCreatePost { id badge place { city label } } }")
        _ = try service.data(#"mutation { createPost(input: {id: "e", place: {city: "Rome"}}) { id } }"#)
        try service.deliver()
        #expect(
            subscriber.take() == [
                #"{"data":{"onCreatePost":{"id":"e","badge":null,"place":{"city":"Rome","label":null}}}}"#
            ])
        #expect(functions.names.isEmpty)
    }

    // MARK: - Rules

    @Test("a function is not called for a caller whom the rules do not give its field")
    func rules() throws {
        let functions = FakeFunctions(["echo": { _ in .json("1") }, "badge": { _ in .json("\"b\"") }])
        let service = try functions.service(
            Self.schema,
            enforcing: [
                .public("Post"), .public("Author"), .public("Query", field: "number"),
                .group("G", "Query", field: "numbers"),
            ])
        try service.expect(.ann, "{ number numbers }", #"{"number":1,"numbers":null} | numbers U"#)
        #expect(functions.names == ["echo"])
    }
}

@Suite("Long reads of operations with functions") struct PipelineReadTests {
    @Test("a wave that takes more than a loop may spend is read by a worker")
    func longWave() throws {
        var options = APIOptions()
        options.limits.readStepsMax = 100
        let functions = FakeFunctions(["badge": { .value($0["source"]?["id"]) }])
        let service = try Service(
            "type A @model { id: ID! badge: String @function(name: \"badge\") } type Query { x: Int @function(name: \"x\") }",
            options: options, home: Service.Home(invokeFunction: functions.invoker, stepsPerLook: 10))
        for id in 10..<60 { try service.seed("mutation { createA(input: {id: \"\(id)\"}) { id } }") }
        let answer = try service.value("{ listAs { items { id badge } } }", at: "listAs", "items")
        let items = try #require(answer?.arrayValue)
        #expect(items.count == 50 && items.allSatisfy { $0["id"] == $0["badge"] })
        #expect(service.context.statistics.readHandedToWorkerCount > 0)
    }
}
