import { intended, rolesIntent } from "../../../support/event-builders.ts";
import { heldLocks } from "../../../support/session-steps.ts";
import { testSessions } from "../../../support/sessions.ts";

testSessions(new URL("drift.txt", import.meta.url), {
  /** The run that holds the lock is about to replace the roles of a key. */
  announce: ({ names }, [prefix = "", ...roles]) =>
    heldLocks.get(names)?.append([intended("r0", "a", rolesIntent(prefix, ...roles))]),
});
