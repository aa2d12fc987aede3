import HTTP

/// `GET /metrics`: the counters, in Prometheus' text format.
struct MetricsEndpoint: Endpoint {
    let allowsCORS = false

    func respond(to request: Request, in requestContext: RequestContext) {
        guard requestContext.authorizeOperator(request, role: .viewer) else { return }
        requestContext.answer(PrometheusText.contentType, Array(requestContext.services.state.metrics.text.utf8))
    }
}
