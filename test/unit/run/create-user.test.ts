import { expect, test } from "vitest";
import { success } from "../../../src/model/result.ts";
import { emptyState } from "../../../src/model/state.ts";
import type { AccountService } from "../../../src/ports/account-service.ts";
import { aCreation } from "../../support/action-builders.ts";
import { applied, emptyService } from "../../support/apply-run.ts";
import { memorySession } from "../../support/memory-session.ts";
import { addressOf } from "../../support/roster-builders.ts";

/** Answers of creations name no address, and the first one shows what belongs to the second. */
function crossing(shows: "identifiers" | "keys"): AccountService {
  const service = emptyService();
  return {
    ...service,
    async createUser(...asked) {
      const written = await service.createUser(...asked);
      if (written.outcome !== "done") return written;
      const { email: _, identifier = "", key, ...rest } = written.value;
      const crossed =
        identifier === "u1" ? { identifier: "u3", prefix: "k4" } : { identifier, prefix: key?.prefix ?? "" };
      const value = shows === "identifiers" ? { identifier: crossed.identifier } : { key: { prefix: crossed.prefix } };
      return { ...written, value: { ...rest, ...value } };
    },
  };
}

test.each([["identifiers"], ["keys"]] as const)(
  "an answer without an address counts less than what reads show of the person (%s)",
  async (shows) => {
    const session = memorySession(emptyState("l"));
    await applied([aCreation("ada"), aCreation("bo")], crossing(shows), { session, parallelism: 1 });
    const { users } = session.saved();
    const { identifier, key } = users.get(addressOf("ada")) ?? {};
    expect([identifier, key]).not.toContain("u3");
    expect([identifier, key]).not.toContain("k4");
    expect(identifier).toBe("u1");
  },
);

test("an identifier from an answer without an address is left to a later read where no read shows the person yet", async () => {
  const session = memorySession(emptyState("l"));
  const service = crossing("identifiers");
  const hiding: AccountService = { ...service, searchUsers: async () => success([]) };
  await applied([aCreation("ada")], hiding, { session });
  expect(session.saved().users.get(addressOf("ada"))).toMatchObject({ email: "ada@acme.example", account: "acc-1" });
  expect(session.saved().users.get(addressOf("ada"))?.identifier).toBeUndefined();
});
