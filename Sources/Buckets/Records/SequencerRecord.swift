import Tables

/// The bound of the sequencers of object events: all that were used are below it.
struct SequencerRecord: Record {
    /// The first sequencer that is not reserved.
    var bound: Int64
    var revision: Int64 = 0

    /// The partition.
    static let all = "all"
    /// The name of the only record.
    static let events = "events"

    static let table = Table(
        system: BucketTables.namePrefix + "Sequencers", ["all", "name", "bound"], integers: ["bound"],
        key: ("all", "name"))

    init(bound: Int64) { self.bound = bound }

    init?(_ row: [Value], revision: Int64) {
        bound = row[2].asInteger
        self.revision = revision
    }

    var row: [Value] { [.text(Self.all), .text(Self.events), .integer(bound)] }
}
