import * as t from "../model/declare.ts";

/** The run that holds a lock. What a store's protocol does not say is absent. */
export type LockHolder = t.Static<typeof lockHolder>;
export const lockHolder = t.object({
  id: t.string("What `state unlock` takes."),
  who: t.optional(t.string("Such as `ada@build-7`.")),
  operation: t.optional(t.string("Such as `apply`.")),
  since: t.optional(t.string("ISO 8601, when the lock was taken.")),
  /** By the store's own clock. */
  silentFor: t.optional(t.integer("Milliseconds since the holder gave a sign of life.")),
  /** A holder with a lower number can record nothing any more. */
  fence: t.optional(t.integer("Counts the holders of this lock.")),
});
