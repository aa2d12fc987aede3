import Fuzzing
import JSON

@main enum EventsFuzzer {
    static func main() { fuzz(check) }
}

/// The body of a `PutEvents`, as far as it is read without a database.
private func check(_ bytes: UnsafeRawBufferPointer) {
    let limits = AnalyticsLimits()
    let now: Int64 = 1_768_478_400_000
    guard let request = try? EventsRequest(Array(bytes), now: now, limits) else { return }
    require(request.items.reduce(0) { $0 + $1.events.count } <= limits.eventsPerBatchMax, "a batch has a bound")
    var result = EventsResult()
    for item in request.items {
        var answer = EventsResult.Item(id: item.id)
        for event in item.events {
            guard let problem = event.problem else {
                let content = try? JSONReader.read(event.content, depthMax: 32)
                require(content?.objectValue != nil, "what is kept of an event is an object")
                require(!event.type.isEmpty && !event.id.isEmpty, "an event has a type and an id")
                require(event.time >= 0 && event.time <= now + 86_400_000, "an event has a day")
                require(event.duration ?? 0 >= 0, "no session lasts for less than no time")
                answer.events.append((event.id, .accepted))
                continue
            }
            answer.events.append((event.id, .refused(400, problem)))
        }
        if case .success(let change) = item.change {
            var document = EndpointDocument()
            document.apply(change)
            require(EndpointDocument(document.text) == document, "an endpoint is read as it was written")
            let before = document
            document.apply(EndpointChange())
            require(document == before, "a change of nothing changes nothing")
        }
        result.items.append(answer)
    }
    require((try? JSONReader.read(result.body))?["Results"]?.objectValue != nil, "the answer is JSON")
}
