import JSON
import Synchronization
import Tables
import Testing

@testable import Buckets

@Suite("Buckets")
struct BucketTests {
    @Test("operators make, find, list and remove buckets, and nobody else does")
    func life() async throws {
        let stage = try await BucketStage()
        let made = await stage.call("PUT", "/new-bucket")
        #expect(made.status == 200 && made.headers["location"] == "/new-bucket")
        #expect(await stage.call("PUT", "/new-bucket").element("Code") == "BucketAlreadyOwnedByYou")
        #expect(await stage.call("PUT", "/media").element("Code") == "BucketAlreadyOwnedByYou")
        #expect(await stage.call("GET", "/").elements("Name") == ["media", "new-bucket"])
        let head = await stage.call("HEAD", "/new-bucket")
        #expect(head.status == 200 && head.headers["x-amz-bucket-region"] == "us-east-1")
        #expect(await stage.call("HEAD", "/none").status == 404)
        #expect(await stage.call("PUT", "/new-bucket/k", body: [1]).status == 200)
        #expect(await stage.call("DELETE", "/new-bucket").element("Code") == "BucketNotEmpty")
        #expect(await stage.call("DELETE", "/new-bucket/k").status == 204)
        for caller in [BucketStage.jane, BucketStage.guest, .anonymous] {
            #expect(await stage.call("PUT", "/other", as: caller).status == 403)
            #expect(await stage.call("DELETE", "/new-bucket", as: caller).status == 403)
            #expect(await stage.call("GET", "/new-bucket/k", as: caller).status == 403)
        }
        #expect(await stage.call("GET", "/", as: BucketStage.jane).status == 403)
        #expect(await stage.call("HEAD", "/media", as: BucketStage.jane).status == 403)
        #expect(await stage.call("DELETE", "/new-bucket").status == 204)
        #expect(await stage.call("PUT", "/new-bucket/k", body: [1]).element("Code") == "NoSuchBucket")
        #expect(await stage.call("DELETE", "/media").status == 403, "a configured bucket stays")
    }

    @Test(
        "names that S3 does not allow are refused",
        arguments: ["ab", "Media", "a_b", "-ab", "ab-", "a..b", "1.2.3.4", "caf%C3%A9", "a%2Fb"])
    func names(name: String) async throws {
        let stage = try await BucketStage()
        #expect(await stage.call("PUT", "/\(name)").element("Code") == "InvalidBucketName")
    }

    @Test("a bucket is made in the server's region, without other settings")
    func creation() async throws {
        let stage = try await BucketStage()
        func create(_ content: String, _ headers: [(String, String)] = []) async -> String? {
            let document = "<CreateBucketConfiguration>\(content)</CreateBucketConfiguration>"
            return await stage.call("PUT", "/new", headers, body: Array(document.utf8)).element("Code")
        }
        #expect(
            await create("<LocationConstraint>eu-west-1</LocationConstraint>") == "IllegalLocationConstraintException")
        #expect(await create("<Location><Name>x</Name></Location>") == "NotImplemented")
        #expect(await create("", [("x-amz-bucket-object-lock-enabled", "true")]) == "NotImplemented")
        #expect(await create("", [("x-amz-acl", "public-read")]) == "NotImplemented")
        #expect(await create("<LocationConstraint>us-east-1</LocationConstraint>") == nil)
    }

    @Test("what restates the default is answered as S3 does")
    func defaults() async throws {
        let stage = try await BucketStage()
        await stage.put("k", "x")
        #expect(await stage.call("GET", "/media?location").text.contains("<LocationConstraint xmlns"))
        #expect(await stage.call("GET", "/media?versioning").text.contains("<VersioningConfiguration"))
        for target in ["/media?acl", "/media/k?acl"] {
            #expect(await stage.call("GET", target).elements("Permission") == ["FULL_CONTROL"])
            #expect(await stage.call("PUT", target, [("x-amz-acl", "private")]).status == 200)
            #expect(await stage.call("PUT", target, [("x-amz-acl", "public-read")]).status == 501)
            #expect(await stage.call("PUT", target).status == 501)
        }
        #expect(await stage.call("GET", "/media/none?acl").status == 404)
    }

    @Test("browsers on other origins are allowed what the rules of the bucket say")
    func cors() async throws {
        let stage = try await BucketStage()
        await stage.put("public/k", "x", [("x-amz-meta-a", "1")])
        let origin = ("Origin", "https://app.example")
        let read = await stage.call("GET", "/media/public/k", [origin])
        #expect(read.headers["access-control-allow-origin"] == "*")
        #expect(read.headers["access-control-expose-headers"]?.contains("x-amz-meta-a") == true)
        #expect(await stage.call("GET", "/media/none", [origin]).headers["access-control-allow-origin"] == "*")
        #expect(await stage.call("GET", "/media/public/k").headers["access-control-allow-origin"] == nil)
        let asks = [origin, ("Access-Control-Request-Method", "PUT"), ("Access-Control-Request-Headers", "X-Amz-Date")]
        let preflight = await stage.call("OPTIONS", "/media/public/k", asks, as: .anonymous)
        #expect(preflight.status == 200 && preflight.headers["access-control-allow-headers"] == "X-Amz-Date")
        #expect(preflight.headers["access-control-max-age"] == "3000")
        for (headers, missing) in [([], "Origin"), ([origin], "Access-Control-Request-Method")] {
            let refused = await stage.call("OPTIONS", "/media/public/k", headers, as: .anonymous)
            #expect(refused.status == 400)
            #expect(refused.element("Message") == "Insufficient information. \(missing) request header needed.")
        }
        let document =
            "<CORSConfiguration><CORSRule><AllowedOrigin>https://*.example</AllowedOrigin>"
            + "<AllowedMethod>GET</AllowedMethod><ExposeHeader>ETag</ExposeHeader></CORSRule></CORSConfiguration>"
        #expect(await stage.call("PUT", "/media?cors", body: Array(document.utf8)).status == 200)
        #expect(await stage.call("OPTIONS", "/media/public/k", asks, as: .anonymous).status == 403)
        let now = await stage.call("GET", "/media/public/k", [origin])
        #expect(now.headers["access-control-allow-origin"] == "https://app.example")
        #expect(now.headers["access-control-expose-headers"] == "ETag")
        let other = await stage.call("GET", "/media/public/k", [("Origin", "https://example")])
        #expect(other.headers["access-control-allow-origin"] == nil)
        #expect(await stage.call("GET", "/media?cors").element("AllowedOrigin") == "https://*.example")
        #expect(await stage.call("DELETE", "/media?cors").status == 204)
        #expect(await stage.call("GET", "/media?cors").element("AllowedOrigin") == "*", "the configured rules are back")
        #expect(await stage.call("GET", "/media/public/k", [origin]).headers["access-control-allow-origin"] == "*")
        // A bucket that is not in the configuration has no other rules.
        #expect(await stage.call("PUT", "/made").status == 200)
        #expect(await stage.call("PUT", "/made?cors", body: Array(document.utf8)).status == 200)
        #expect(await stage.call("DELETE", "/made?cors").status == 204)
        #expect(await stage.call("GET", "/made?cors").element("Code") == "NoSuchCORSConfiguration")
        #expect(await stage.call("GET", "/made/k", [origin]).headers["access-control-allow-origin"] == nil)
        for broken in [
            "", "<CORSRule/>",
            "<CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>PATCH</AllowedMethod></CORSRule>",
            "<CORSRule><AllowedOrigin>*.*</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule>",
            "<CORSRule><AllowedOrigin>a b</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule>",
        ] {
            let document = "<CORSConfiguration>\(broken)</CORSConfiguration>"
            #expect(await stage.call("PUT", "/media?cors", body: Array(document.utf8)).status == 400)
        }
    }

    @Test("errors have S3's form, and HEAD's have no body")
    func errors() async throws {
        let stage = try await BucketStage()
        let answer = await stage.call("GET", "/media/a&b")
        #expect(
            answer.text == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>NoSuchKey</Code>"
                + "<Message>The specified key does not exist.</Message><Key>a&amp;b</Key><Resource>/media/a&amp;b</Resource>"
                + "<RequestId>REQUEST</RequestId><HostId>REQUEST</HostId></Error>")
        #expect(answer.headers["content-type"] == "application/xml" && answer.headers["x-amz-request-id"] == "REQUEST")
        #expect(await stage.call("HEAD", "/media/none").body.isEmpty)
        for method in ["GET", "HEAD", "DELETE"] {
            let response = await stage.buckets.respond(
                to: BucketStage.request(method, "/none/k"), from: BucketStage.operatorCaller)
            #expect(response.errorCode == "NoSuchBucket", "the log has the code, also of HEAD")
        }
        let refused = stage.buckets.refuse(BucketStage.request("GET", "/media/k"), .accessDenied)
        #expect(BucketStage.answer(refused).element("Code") == "AccessDenied")
    }

    @Test("a bucket that is not configured any more keeps its objects for operators")
    func reconfiguration() async throws {
        let stage = try await BucketStage()
        await stage.put("public/k", "x")
        #expect(await stage.call("GET", "/media/public/k", as: BucketStage.jane).status == 200)
        try await stage.buckets.serve(BucketConfiguration(region: "eu-west-1"))
        #expect(await stage.call("GET", "/media/public/k", as: BucketStage.jane).status == 403)
        #expect(await stage.call("GET", "/media/public/k").text == "x")
        #expect(await stage.call("GET", "/media?location").element("Code") == nil)
    }

    @Test("triggers receive the events of the keys that they ask for, once the change is committed")
    func events() async throws {
        let stage = try await BucketStage(
            triggers: [
                ObjectTrigger(
                    function: "resize", events: ["s3:ObjectCreated:*"], prefix: "public/", suffix: ".jpg", id: "r"),
                ObjectTrigger(function: "log"),
            ])
        await stage.put("public/a b+é.jpg".addingPercentEncoding, "hello", as: BucketStage.jane)
        await stage.put("public/b.png", "x")
        _ = await stage.call("PUT", "/media/copy", [("x-amz-copy-source", "media/public/b.png")])
        _ = await stage.call("DELETE", "/media/copy")
        _ = await stage.call("DELETE", "/media/copy")
        _ = await stage.call("PUT", "/media/refused", [("Content-MD5", "AAAAAAAAAAAAAAAAAAAAAA==")], body: [1])
        let due = try await stage.dueEvents("resize", "log")
        #expect(due.map(\.function) == ["resize", "log", "log", "log", "log"])
        let records = due.compactMap { $0.payload.objectValue?["Records"]?.arrayValue?.first?.objectValue }
        let names = records.compactMap { $0["eventName"]?.stringValue }
        #expect(
            names == [
                "ObjectCreated:Put", "ObjectCreated:Put", "ObjectCreated:Put", "ObjectCreated:Copy",
                "ObjectRemoved:Delete",
            ])
        let first = try #require(records.first)
        let s3 = try #require(first["s3"]?.objectValue)
        #expect(s3["configurationId"] == "r" && s3["bucket"]?.objectValue?["name"] == "media")
        let object = try #require(s3["object"]?.objectValue)
        #expect(object["key"] == "public/a+b%2B%C3%A9.jpg" && object["size"]?.intValue == 5)
        #expect(object["eTag"] == "5d41402abc4b2a76b9719d911017c592")
        #expect(first["eventTime"] == "2027-01-15T08:00:00.000Z")
        #expect(first["userIdentity"]?.objectValue?["principalId"] == "AWS:us-east-1:jane")
        let sequencers = records.compactMap { $0["s3"]?.objectValue?["object"]?.objectValue?["sequencer"]?.stringValue }
        #expect(sequencers.sorted() == sequencers)
        // Delivered at least once: it is due until it is removed.
        #expect(try await stage.buckets.dueEvents(of: "log", limit: 1).first?.id == due[1].id)
        try await stage.buckets.postponeEvent(due[1], until: 1_800_000_060_000)
        #expect(try await stage.buckets.dueEvents(of: "log", limit: 1).first?.id == due[2].id)
        try await stage.buckets.removeEvent(due[2])
        try await stage.buckets.removeEvent(due[2])
        #expect(try await stage.dueEvents("resize", "log").count == 3)
        stage.time.milliseconds.withLock { $0 += 60_000 }
        let later = try await stage.dueEvents("resize", "log")
        #expect(later.count == 4 && later.last?.attemptCount == 1)
    }

    @Test("the sequencers of a key grow over restarts, deletions and a clock that is set back")
    func sequencers() async throws {
        var folder: String?
        var sequencers: [String] = []
        var stages: [BucketStage] = []
        for day in [Int64(3), 2, 1] {
            let stage = try await BucketStage(
                folder: folder, triggers: [ObjectTrigger(function: "log")], ownsFolder: folder == nil)
            folder = stage.folder
            stage.time.milliseconds.withLock { $0 += day * 86_400_000 }
            // The third change is beyond the sequencers that the first one has reserved; before the fourth the clock is set back.
            for seconds in [Int64(0), 1, 61, -3_600] {
                stage.time.milliseconds.withLock { $0 += seconds * 1_000 }
                if seconds == 1 { _ = await stage.call("DELETE", "/media/k") } else { await stage.put("k", "x") }
                // An event is due at the time of its change, which is never before that of the version that it replaces.
                stage.time.milliseconds.withLock { $0 += 10 * 86_400_000 }
                let due = try await stage.dueEvents("log")
                stage.time.milliseconds.withLock { $0 -= 10 * 86_400_000 }
                #expect(due.count == 1)
                for event in due {
                    let record = event.payload["Records"]?.arrayValue?.first
                    sequencers.append(try #require(record?["s3"]?["object"]?["sequencer"]?.stringValue))
                    try await stage.buckets.removeEvent(event)
                }
            }
            stage.store.close()
            stages.append(stage)
        }
        #expect(sequencers.count == 12 && sequencers.allSatisfy { $0.utf8.count == 16 })
        #expect(zip(sequencers, sequencers.dropFirst()).allSatisfy { $0 < $1 }, "\(sequencers)")
    }

    @Test("events that nobody takes are bounded, the oldest given up first")
    func boundedEvents() async throws {
        var limits = BucketLimits()
        limits.eventsMax = 5
        let stage = try await BucketStage(limits: limits, triggers: [ObjectTrigger(function: "log")])
        _ = try await stage.buckets.collect()
        for number in 0..<7 {
            stage.time.milliseconds.withLock { $0 += 1_000 }
            await stage.put("k\(number)", "x")
        }
        let keys = try await stage.dueEvents("log").compactMap {
            $0.payload["Records"]?.arrayValue?.first?["s3"]?["object"]?["key"]?.stringValue
        }
        #expect(keys == ["k2", "k3", "k4", "k5", "k6"])
        stage.time.milliseconds.withLock { $0 += 60_000 }
        await stage.put("k7", "x")
        #expect(stage.droppedEvents.counts == [1, 2], "the first one at once, later ones once a minute")
    }

    @Test("a function with many events takes no room from those of another")
    func eventsOfFunctions() async throws {
        var limits = BucketLimits()
        limits.eventsMax = 5
        let stage = try await BucketStage(
            limits: limits,
            triggers: [ObjectTrigger(function: "hangs", prefix: "a/"), ObjectTrigger(function: "log", prefix: "b/")])
        _ = try await stage.buckets.collect()
        await stage.put("b/1", "x")
        for number in 0..<20 { await stage.put("a/\(number)", "x") }
        await stage.put("b/2", "x")
        #expect(try await stage.dueEvents("log").count == 2)
        #expect(try await stage.dueEvents("hangs").count == 3)
        #expect(try await stage.buckets.eventFunctions().sorted() == ["hangs", "log"])
    }

    @Test("events that an earlier release has queued are delivered to their functions, and once")
    func earlierEvents() async throws {
        let stage = try await BucketStage()
        let events = try (0..<250).map { number in
            let function = number.isMultiple(of: 2) ? "log" : EventRecord.shared
            let document = "{\"function\":\"\(function)\",\"event\":{},\"attemptCount\":1}"
            return try #require(
                EventRecord(
                    [.text(EventRecord.shared), .text("\(1_000 + number)"), .integer(0), .text(document)], revision: 0))
        }
        #expect(try await stage.buckets.commit(events.map { .insert($0) }))
        #expect(try await stage.buckets.eventFunctions().sorted() == [EventRecord.shared, "log"])
        let due = try await stage.dueEvents("log", EventRecord.shared)
        #expect(due.map(\.id) == [0, 1].flatMap { rest in (0..<125).map { "\(1_000 + 2 * $0 + rest)" } })
        for event in due { try await stage.buckets.removeEvent(event) }
        #expect(try await stage.dueEvents("log", EventRecord.shared).isEmpty)
        #expect(stage.buckets.events.excess(above: 0) == nil)
    }
}

extension String {
    fileprivate var addingPercentEncoding: String {
        utf8.map { $0 > 0x20 && $0 < 0x7F && $0 != 0x25 ? String(Unicode.Scalar($0)) : "%" + String($0, radix: 16) }
            .joined()
    }
}
