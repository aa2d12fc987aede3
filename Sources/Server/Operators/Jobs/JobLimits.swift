/// All bounds of jobs, each with its unit at the end of its name.
enum JobLimits {
    /// Jobs that run at one time, each on a thread of its own; one more is refused.
    static let runningMax = 4
    /// Jobs that are kept after their end; beyond that, the oldest is forgotten.
    static let keptMax = 100
    /// Rejected parts of a job's input that are kept.
    static let rejectCountMax = 1_000
    /// The same of each kept job, in bytes of the text of all: of the list in its result, and of its file.
    static let rejectBytesMax = 1 << 20
    /// Unicode scalars of the reason why a part was rejected.
    static let reasonCharactersMax = 500
    /// Bytes of the results and files of all jobs that have ended; beyond that, the oldest is forgotten.
    static let keptBytesMax = 32 << 20
    /// The least time between two messages about the progress of a job, in milliseconds.
    static let progressMilliseconds: Int64 = 250
}
