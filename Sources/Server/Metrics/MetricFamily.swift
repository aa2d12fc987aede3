/// Counters of one name: what they are, and their values.
struct MetricFamily: Sendable {
    /// How a scraper may reckon with the values.
    enum Kind: String, Sendable {
        case counter, gauge, histogram, summary
    }

    /// One line.
    struct Sample: Sendable {
        /// After the family's name, for the parts of a histogram.
        var suffix = ""
        var labels: [(name: String, value: String)] = []
        var value: String
    }

    var name: String
    var kind: Kind
    var help: String
    var samples: [Sample]
}
