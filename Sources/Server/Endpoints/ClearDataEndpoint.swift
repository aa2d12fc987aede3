import API
import Buckets
import HTTP
import JSON

/// `DELETE /clear-data`: deletes every item of every model, as Amplify's mock does, every object and multipart upload of every
/// bucket, and the object events that wait for their functions. The answer says what was deleted, and what is kept: users, and
/// events of apps. Only `syncline dev` has it.
struct ClearDataEndpoint: Endpoint {
    let methods: [Method] = [.delete]
    let allowsCORS = false

    func respond(to request: Request, in requestContext: RequestContext) {
        guard requestContext.services.state.mode == .dev else { return requestContext.refuse(.devOnly) }
        guard requestContext.authorizeOperator(request, role: .editor) else { return }
        guard let context = requestContext.services.context, let servedAPI = requestContext.services.servedAPI else {
            return requestContext.refuse(.notReady)
        }
        servedAPI.api.clear(on: context) { result in
            switch result {
            case .success(let models):
                clearBuckets(requestContext) { objectCount, uploadCount in
                    requestContext.services.state.log(
                        .notice, "All items and objects were deleted.", ["requestID": "\(requestContext.requestID)"])
                    let names = JSONValue.array(models.map(JSONValue.string))
                    let message: JSONValue = [
                        "message": .string("Successfully deleted \(names) tables"), "tables": names,
                        "objects": .number(String(objectCount)), "uploads": .number(String(uploadCount)),
                        "cleared": ["tables", "objects", "uploads", "objectEvents"],
                        "kept": ["users", "events"],
                    ]
                    requestContext.answer("application/json;charset=UTF-8", Array(message.description.utf8))
                }
            case .failure(let error): requestContext.refuse(.notCleared, cause: "\(error)")
            }
        }
    }

    /// Deletes all objects and uploads, and calls `completion` on the loop with their numbers.
    private func clearBuckets(
        _ requestContext: RequestContext,
        completion: @escaping @Sendable (_ objectCount: Int, _ uploadCount: Int) -> Void
    ) {
        guard let service = requestContext.services.buckets?.service else { return completion(0, 0) }
        let isAccepted = service.run(for: .init(.operator, network: requestContext.peer.network)) { buckets in
            let result: Result<(objects: Int, uploads: Int), S3Error>
            do throws(S3Error) { result = .success(try await buckets.removeAll()) } catch {
                result = .failure(error)
            }
            requestContext.loop.execute {
                switch result {
                case .success(let counts): completion(counts.objects, counts.uploads)
                case .failure(let error): requestContext.refuse(.notCleared, cause: error.message)
                }
            }
        }
        if !isAccepted { requestContext.refuse(.notCleared, cause: "Too many requests to buckets are under way.") }
    }
}
