import Tables

extension AnalyticsError {
    /// The error for a write that the store has refused. Clients retry after both statuses.
    init(_ error: StoreError) {
        switch error.code {
        case .busy, .timedOut:
            self.init("TooManyRequestsException", 429, "Too many requests are waiting. Try again later.")
        default: self.init("InternalServerErrorException", 500, "The request failed; the server's log says why.")
        }
    }
}
