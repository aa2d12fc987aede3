import API
import HTTP
import JSON
import Tables

/// `GET /api-config`: how the API is reached, as Amplify's mock reports it to its console.
struct APIConfigEndpoint: Endpoint {
    let allowsCORS = false

    func respond(to request: Request, in exchange: Exchange) {
        guard exchange.admitsOperator(request, role: .viewer) else { return }
        guard let servedAPI = exchange.services.servedAPI else { return exchange.refuse(.notReady) }
        exchange.answer("application/json;charset=UTF-8", servedAPI.apiConfig)
    }
}

/// `DELETE /clear-data`: deletes every item of every model, as Amplify's mock does. Only `syncline dev` has it.
struct ClearDataEndpoint: Endpoint {
    let methods: [Method] = [.delete]
    let allowsCORS = false

    func respond(to request: Request, in exchange: Exchange) {
        guard exchange.services.state.mode == .dev else { return exchange.refuse(.devOnly) }
        guard exchange.admitsOperator(request, role: .editor) else { return }
        guard let context = exchange.services.context, let servedAPI = exchange.services.servedAPI else {
            return exchange.refuse(.notReady)
        }
        servedAPI.api.clear(on: context) { result in
            switch result {
            case .success(let models):
                exchange.services.state.log(.notice, "All items were deleted.", ["requestID": "\(exchange.requestID)"])
                let names = JSONValue.array(models.map(JSONValue.string))
                let message = JSONValue.object(["message": .string("Successfully deleted \(names) tables")])
                exchange.answer("application/json;charset=UTF-8", Array(message.description.utf8))
            case .failure(let error): exchange.refuse(.notCleared, cause: "\(error)")
            }
        }
    }
}

/// `GET /metrics`: the counters, in Prometheus' text format.
struct MetricsEndpoint: Endpoint {
    let allowsCORS = false

    func respond(to request: Request, in exchange: Exchange) {
        guard exchange.admitsOperator(request, role: .viewer) else { return }
        exchange.answer(PrometheusText.contentType, Array(exchange.services.state.metrics.text.utf8))
    }
}
