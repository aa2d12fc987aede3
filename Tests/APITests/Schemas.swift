/// The schemas of the example applications, as `Examples/` serves them.
enum Schemas {
    static let chat = """
        type User @model {
          id: ID!
          sub: String!
          username: String!
          postcode: String
          threads: [UserThread] @connection(keyName: "byUser", fields: ["id"])
          messages: [Message] @connection(name: "UserMessages")
          replies: [Reply] @connection(name: "UserReplies")
          createdAt: AWSDateTime!
        }

        type Thread
          @model
          @key(fields: ["location"], name: "byLocation", queryField: "ThreadByLocation")
        {
          id: ID!
          name: String!
          location: String!
          messages: [Message] @connection(name: "ThreadMessages", sortField: "createdAt")
          associated: [UserThread] @connection(keyName: "byThread", fields: ["id"])
          createdAt: AWSDateTime!
        }

        type Message @model {
          id: ID!
          author: User! @connection(name: "UserMessages")
          body: String!
          thread: Thread @connection(name: "ThreadMessages")
          replies: [Reply] @connection(name: "MessageReplies", sortField: "createdAt")
          createdAt: AWSDateTime!
        }

        type Reply @model {
          id: ID!
          author: User! @connection(name: "UserReplies")
          body: String!
          message: Message @connection(name: "MessageReplies")
          createdAt: AWSDateTime!
        }

        type UserThread
          @model
          @key(name: "byUser", fields: ["userThreadUserId", "userThreadThreadId"])
          @key(name: "byThread", fields: ["userThreadThreadId", "userThreadUserId"])
        {
          id: ID!
          userThreadUserId: ID!
          userThreadThreadId: ID!
          user: User! @connection(fields: ["userThreadUserId"])
          thread: Thread! @connection(fields: ["userThreadThreadId"])
          createdAt: AWSDateTime!
        }
        """

    static let booking = """
        type User @model {
          id: ID!
          username: String!
        }

        type Room @model {
          id: ID!
          description: String!
          city: String!
          price: Int!
          imageKey: String!
        }

        type Booking @model {
          id: ID!
          room: Room! @connection
          guestId: ID!
          checkInDate: AWSDate!
          checkOutDate: AWSDate!
        }
        """

    static let cashFlow = """
        type Account @model {
          id: ID!
          balance: Float!
        }
        """
}
