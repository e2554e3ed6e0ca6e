import { expect, test } from "vitest";
import { foldAddress } from "../../../../src/model/address.ts";
import type { AddedMember, EventOf, LearnedOutcome, RunEvent } from "../../../../src/model/event.ts";
import type { Failure } from "../../../../src/model/failure.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import { progressLine } from "../../../../src/report/text/lines.ts";
import { samplePlan } from "../../../support/report-samples.ts";

const at = "2026-11-20T06:00:00.000Z";
const [createAda = "", createCy = "", addToPlatform = "", replaceBo = ""] = samplePlan.actions.map(({ id }) => id);
const failure: Failure = { code: "conflict", message: "somebody is there already", status: 409 };
const lost: Failure = { code: "unreachable", message: "the connection was lost" };
const [ada, bo, cy] = [foldAddress("ada@acme.example"), foldAddress("bo@acme.example"), foldAddress("cy@acme.example")];
const platform = teamKeyOf("acc-1", "Platform");
const isAdded = (address: typeof bo): AddedMember => ({ address, outcome: { added: true } });
const isRefused = (address: typeof bo): AddedMember => ({ address, outcome: { added: false, failure } });

const created = (address: typeof ada): LearnedOutcome => ({ kind: "create-user", address, answered: {} });
const added = (...members: readonly AddedMember[]) => ({ kind: "add-members", team: platform, members }) as const;
const succeeded = (action: string, learned: LearnedOutcome): RunEvent => ({ type: "succeeded", at, action, learned });
function resolved(action: string, as: EventOf<"resolved">["as"], except?: readonly (typeof cy)[]): RunEvent {
  return { type: "resolved", at, run: "r", action, as, except };
}

test("who waits reads one line for each thing that ends", () => {
  const events: readonly RunEvent[] = [
    succeeded(createAda, created(ada)),
    succeeded(createCy, created(cy)),
    succeeded(addToPlatform, added(isAdded(bo), isRefused(cy))),
    succeeded(replaceBo, { kind: "replace-roles", prefix: "12pref1x121" }),
    { type: "failed", at, action: createCy, failure },
    { type: "unknown-outcome", at, action: addToPlatform, failure: lost },
    { type: "skipped", at, action: addToPlatform, why: "nobody is left" },
    { type: "stale", at, action: createCy, why: "she is there by now" },
    { type: "unneeded", at, action: replaceBo, why: "it has them" },
    resolved("create-user:of an earlier run", { done: false }),
    resolved(replaceBo, { done: false, unproven: true }),
    resolved(addToPlatform, { done: true, learned: added(isAdded(bo)) }),
    resolved(addToPlatform, { done: true, learned: added(isAdded(bo), isAdded(cy)) }),
    resolved(addToPlatform, { done: true, learned: added(isAdded(bo)) }, [cy]),
    resolved(addToPlatform, { done: true, learned: added(isRefused(bo)) }),
    { type: "waiting", at, milliseconds: 1234, why: "the service is busy" },
    { type: "key-learned", at, address: bo, team: platform, prefix: "p" },
    { type: "run-finished", at, ended: "completed" },
  ];
  expect(events.map((event) => progressLine(event, samplePlan) ?? "-").join("\n")).toBe(`\
created Ada@acme.example and team Data Science
created cy@acme.example
invited 1 member to Platform; refused cy@acme.example: somebody is there already (status 409)
changed the roles of bo@acme.example's key 12pref1x121 in Platform
failed to create user cy@acme.example: somebody is there already (status 409)
outcome not known yet: invite 2 members to team Platform. the connection was lost
-
stale, not done: create user cy@acme.example: she is there by now
not needed: bo@acme.example's key 12pref1x121 in Platform already has these roles
create-user:of an earlier run: it was not done
change the roles of bo@acme.example's key 12pref1x121 in Platform: the service does not show if it was done
invite 2 members to team Platform: it was done for bo@acme.example
invite 2 members to team Platform: it was done for bo@acme.example and cy@acme.example
invite 2 members to team Platform: it was done for bo@acme.example, still unknown for cy@acme.example
invite 2 members to team Platform: no member was added
waiting 1.3 s: the service is busy
-
-`);
});
