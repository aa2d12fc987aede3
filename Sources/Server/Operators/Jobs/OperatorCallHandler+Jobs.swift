import JSON

extension OperatorCallHandler {
    /// Carries out a call about jobs.
    func run(_ call: JobCall, for caller: Caller) throws(OperatorProblem) -> OperatorAnswer {
        guard let jobs else { throw .noConsole }
        func job(_ id: String) throws(OperatorProblem) -> Job {
            guard let job = jobs[id] else { throw .unknownJob(id) }
            return job
        }
        switch call {
        case .list:
            return OperatorAnswer(body: .object(["items": .array(jobs.all.map(\.summary)), "next": .null]))
        case .get(let id): return OperatorAnswer(body: try job(id).json)
        case .cancel(let id):
            let job = try job(id)
            guard caller.role == .owner || caller.name == job.starter else {
                throw OperatorProblem(code: .forbidden, message: "Only \(job.starter) and owners may cancel this job.")
            }
            guard job.phase == .running else {
                var problem = OperatorProblem(code: .conflict, message: "The job has ended.")
                problem.details = ["job": job.json]
                throw problem
            }
            try enter(AuditLog.Action(name: "jobs.cancel", target: "\(job.kind) \(id)", caller: caller))
            job.cancel()
            return OperatorAnswer(body: job.json)
        case .rejects(let id):
            guard let file = try job(id).rejects else {
                throw OperatorProblem(code: .notFound, message: "The job has rejected nothing.")
            }
            var answer = OperatorAnswer(body: .null)
            answer.bytes = file
            answer.contentType = "text/csv;charset=UTF-8"
            answer.fields = [("Content-Disposition", "attachment; filename=\"rejects.csv\"")]
            return answer
        }
    }

    /// Starts a job, and answers with it.
    ///
    /// - Parameter action: What the audit log has of it, also as failed if the job is refused; nil for one that changes nothing.
    func start(
        _ kind: String, target: String? = nil, steps: [String] = [], for caller: Caller,
        auditing action: AuditLog.Action?,
        _ work: @escaping @Sendable (Job) throws(OperatorProblem) -> JSONObject
    ) throws(OperatorProblem) -> OperatorAnswer {
        guard let jobs else { throw .noConsole }
        if let action { try enter(action) }
        do throws(OperatorProblem) {
            let job = try jobs.start(kind, target: target, steps: steps, by: caller.name, work)
            return OperatorAnswer(status: 202, body: .object(["job": job.json]))
        } catch {
            if let action { AuditLog(add: addToAudit).enterFailure(of: action) }
            throw error
        }
    }
}
