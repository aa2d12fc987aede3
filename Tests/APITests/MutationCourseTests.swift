import JSON
import Tables
import Testing

@testable import API

@Suite("The course of a mutation")
struct MutationCourseTests {
    private let item = Item(values: [.text("a"), .integer(1)])
    private let newer = Item(values: [.text("a"), .integer(2)])
    private let unavailable = StoreError(.diskFull, "The disk is full.")

    /// A course whose first write has had a result.
    private func course(
        after result: Result<WriteResult, StoreError>, kind: WritePlan.Kind = .update, handler: ConflictHandler? = nil
    ) -> (course: MutationCourse, step: MutationCourse.Step) {
        var course = MutationCourse()
        course.beginWrite()
        let step = course.finishWrite(result, kind: kind, handler: handler)
        return (course, step)
    }

    /// A course whose conflict has been answered by its function.
    private func step(after answer: ConflictAnswer, kind: WritePlan.Kind = .update) -> MutationCourse.Step {
        var course = course(after: .success(.conflict(current: item, version: 3)), kind: kind, handler: .lambda).course
        return course.finishDecision(answer, kind: kind)
    }

    @Test("a committed write is completed, and counts as committed from then on")
    func commit() {
        let (course, step) = course(after: .success(.item(item, sequence: 7)))
        #expect(step == .complete(item, sequence: 7))
        #expect(course.hasCommitted)
    }

    @Test("a pipeline has an end like a commit: a later failure of the store is its field's")
    func pipeline() {
        var course = MutationCourse()
        course.beginPipeline()
        #expect(!course.hasCommitted)
        course.finishPipeline()
        #expect(course.failure(unavailable) == .field(isTimeout: false))
        let expected = course.finishField()
        #expect(expected == nil)
        guard case .idle = course.state else { return #expect(Bool(false), "\(course.state)") }
    }

    @Test("a failed condition shows the stored item only of a model with versions, and never to a create")
    func conditions() {
        let failed = Result<WriteResult, StoreError>.success(.conditionFailed(current: item))
        #expect(course(after: failed).step == .refuse(.conditionFailed, showing: nil))
        for handler in [ConflictHandler.optimisticConcurrency, .automerge, .lambda] {
            let update = course(after: failed, handler: handler).step
            #expect(update == .refuse(.versionedConditionFailed, showing: item))
            let create = course(after: failed, kind: .create, handler: handler).step
            #expect(create == .refuse(.versionedConditionFailed, showing: nil))
        }
    }

    @Test("a write that rules refuse says whether it was the item or the fields")
    func rules() {
        #expect(course(after: .success(.notPermitted(.item))).step == .refuse(.unauthorized, showing: nil))
        #expect(
            course(after: .success(.notPermitted(.fields(["title"])))).step
                == .refuse(.unauthorizedFields(["title"]), showing: nil))
    }

    @Test("a conflict goes to the function of a model that has one, and is refused otherwise")
    func conflicts() {
        let conflict = Result<WriteResult, StoreError>.success(.conflict(current: item, version: 3))
        #expect(course(after: conflict, handler: .lambda).step == .askFunction(current: item, version: 3))
        #expect(
            course(after: conflict, handler: .optimisticConcurrency).step
                == .refuse(.conflictUnhandled, showing: item))
    }

    @Test("the answer of a conflict's function decides what is written")
    func decisions() {
        #expect(
            step(after: .answered(Array(#"{"action":"RESOLVE","item":{}}"#.utf8)))
                == .write(.resolve([:]), current: item, version: 3))
        #expect(
            step(after: .answered(Array(#"{"action":"REMOVE"}"#.utf8)), kind: .delete)
                == .write(.remove, current: item, version: 3))
        #expect(
            step(after: .answered(Array(#"{"action":"REJECT"}"#.utf8))) == .refuse(.conflictUnhandled, showing: item))
        #expect(
            step(after: .answered(Array(#"{"action":"REMOVE"}"#.utf8)))
                == .refuse(.invalidConflictDecision, showing: nil))
        #expect(step(after: .answered([])) == .refuse(.invalidConflictDecision, showing: nil))
        #expect(step(after: .failed) == .refuse(.conflictFunctionFailed, showing: nil))
        guard case .fail(let error) = step(after: .busy) else {
            Issue.record("a function that is not called for want of room fails the write")
            return
        }
        #expect(error.code == .busy)
    }

    @Test("a function decides five times about one write, then the other writers of the item win")
    func repeatedConflicts() {
        var course = MutationCourse()
        course.beginWrite()
        for _ in 0..<MutationCourse.decisionCountMax {
            let conflict = course.finishWrite(
                .success(.conflict(current: item, version: 3)), kind: .update, handler: .lambda)
            #expect(conflict == .askFunction(current: item, version: 3))
            _ = course.finishDecision(.answered(Array(#"{"action":"RESOLVE","item":{}}"#.utf8)), kind: .update)
            course.beginWrite()
        }
        let last = course.finishWrite(.success(.conflict(current: newer, version: 4)), kind: .update, handler: .lambda)
        #expect(last == .refuse(.tooManyConflicts, showing: nil))
    }

    @Test("a failure of the store fails the request while nothing is committed, and afterwards only its field")
    func failures() {
        var (course, step) = course(after: .failure(unavailable))
        #expect(step == .fail(unavailable))
        #expect(course.failure(unavailable) == .request)
        #expect(course.finishField() == nil)
        course.beginWrite()
        _ = course.finishWrite(.success(.item(item, sequence: 1)), kind: .update, handler: nil)
        #expect(course.finishField() == nil)
        #expect(course.failure(unavailable) == .field(isTimeout: false))
        #expect(course.failure(StoreError(.timedOut, "Too late.")) == .field(isTimeout: true))
        #expect(course.failure(StoreError(.invalidRequest, "Too large.")) == .validation("Too large."))
    }

    @Test("the event of a commit is settled once, when its field is done with")
    func events() {
        var course = course(after: .success(.item(item, sequence: 7))).course
        #expect(course.unsettledSequence == nil)
        course.expectEvent(of: item, sequence: 7)
        #expect(course.itemWithoutEvent == item)
        #expect(course.unsettledSequence == 7)
        course.setEvent(nil)
        #expect(course.finishField()?.sequence == 7)
        #expect(course.unsettledSequence == nil)
        course.finishPublishing()
        #expect(course.finishField() == nil)
        course.beginWrite()
    }
}
