import { describe, expect, test } from "vitest";
import type { Policy } from "../../../src/model/policy.ts";
import type { Snapshot } from "../../../src/model/snapshot.ts";
import type { State } from "../../../src/model/state.ts";
import { aPolicy, aState, selector } from "../../support/plan-inputs.ts";
import { deeds, planFor, troubles } from "../../support/plan-words.ts";
import { addressOf, aLeaver, aRoster, aTeam, aUser, emailOf } from "../../support/roster-builders.ts";
import { aWorld, putUser, type World } from "../../support/simulated-world.ts";

const appliedAt = "2026-11-01T00:00:00.000Z";
const root = aUser("root", { firstName: "Ada", lastName: "Lovelace" });

function appliedTo(...names: readonly string[]): State {
  const people = new Map(names.map((name) => [addressOf(name), { address: addressOf(name), email: emailOf(name) }]));
  return aState({ applied: { at: appliedAt, digest: "d", people } });
}

function worldOf(...names: readonly string[]): World {
  const world = aWorld();
  for (const name of ["root", ...names]) putUser(world, { email: emailOf(name), identifier: `u-${name}` });
  return world;
}

interface Case {
  readonly world?: World;
  readonly roster?: ReturnType<typeof aRoster>;
  readonly policy?: Policy;
  readonly allows?: readonly string[];
  readonly seen?: (snapshot: Snapshot) => Snapshot;
  readonly troubles: readonly string[];
}

const dropped = "! user-removed: user dee@acme.example";

const cases: Readonly<Record<string, Case>> = {
  "is told where nobody names them any more": { troubles: [dropped] },
  "is told where it is not proven that they are gone": {
    world: worldOf(),
    seen: (snapshot) => ({ ...snapshot, absences: new Map() }),
    troubles: [dropped],
  },
  "is nothing once they are gone": { world: worldOf(), troubles: [] },
  "is not dropped where they became a leaver": {
    roster: aRoster({ users: [root], leavers: [aLeaver("dee")] }),
    troubles: ["! leaver-remains: user dee@acme.example"],
  },
  "is not dropped where they have another address, and the roster says which": {
    roster: aRoster({ users: [root, aUser("dee.new", { previously: ["dee"] })] }),
    troubles: ["! former-address: user dee.new@acme.example"],
  },
  "is not dropped where they moved to another account": {
    roster: aRoster({ users: [root, aUser("dee", { account: "acc-2", firstName: "Ada", lastName: "Lovelace" })] }),
    troubles: ["! account-unavailable: account acc-2"],
  },
  "is nobody's matter where a person releases them": {
    allows: ["user-removed:dee@acme.example"],
    troubles: [],
  },
  "is unmanaged where a person releases them": {
    allows: ["user-removed:dee@acme.example"],
    policy: aPolicy({ reportUnmanaged: true }),
    troubles: ["unmanaged: user dee@acme.example"],
  },
  "is not also unmanaged": { policy: aPolicy({ reportUnmanaged: true }), troubles: [dropped] },
  "is no matter of a run about somebody else": {
    policy: aPolicy({ include: [selector("user:root")] }),
    troubles: [],
  },
};

describe("somebody of the last applied roster", () => {
  test.each(Object.entries(cases))("%s", (_, drawn) => {
    const {
      world = worldOf("dee"),
      roster = aRoster({ users: [root] }),
      policy = aPolicy(),
      allows = [],
      seen,
    } = drawn;
    const circumstances = { state: appliedTo("root", "dee"), policy, allows, seen };
    const plan = planFor(world, roster, circumstances);
    expect({ deeds: deeds(plan).filter((one) => !one.startsWith("set ")), troubles: troubles(plan) }).toEqual({
      deeds: [],
      troubles: drawn.troubles,
    });
  });

  test("is told with both ways out, and the YAML of the first", () => {
    const [finding] = planFor(worldOf("dee"), aRoster({ users: [root] }), { state: appliedTo("dee") }).findings;
    const [allow = ""] = finding?.allow ?? [];
    expect(allow).toMatch(/^user-removed:dee@acme\.example#[0-9a-f]{12}$/u);
    expect(finding).toMatchObject({
      kind: "task",
      message:
        "An earlier apply had dee@acme.example in its roster. Now no file lists them as a user or a leaver. The service " +
        "still shows them. roster changes nothing, because a file may be missing. List the user under " +
        "`leavers`, or add them again. To stop managing them, allow it. To allow it: " +
        `\`--allow ${allow}\`.`,
      allow: [allow],
      suggestedYaml: "leavers:\n  - email: dee@acme.example\n    since: 2026-11-20\n",
      because: [],
    });
  });

  test("is told not to be left quite alone where a team revokes roles whoever is in it", () => {
    const roster = aRoster({ users: [root], teams: [aTeam("Red", { identifier: "t-1", onRemoval: "revoke" })] });
    const [finding] = planFor(worldOf("dee"), roster, { state: appliedTo("dee") }).findings;
    expect(finding?.message).toContain(
      "roster changes nothing, except in teams with `onRemoval: revoke`, because a file may be missing.",
    );
  });

  test("is told one by one up to three, and of more at once as well", () => {
    const four = ["a", "b", "c", "d"];
    const roster = aRoster({ users: [root] });
    const few = planFor(worldOf(...four), roster, { state: appliedTo("a", "b", "c") });
    const many = planFor(worldOf(...four), roster, { state: appliedTo(...four) });
    expect({ few: troubles(few).length, many: troubles(many) }).toEqual({
      few: 3,
      many: ["! user-removed: roster", ...four.map((name) => `! user-removed: user ${emailOf(name)}`)],
    });
    expect(many.findings[0]?.message).toBe(
      "4 users of applied rosters are in no file now: a@acme.example, b@acme.example, c@acme.example and " +
        "d@acme.example. Check if a file was lost in a merge. If not, each user has a finding with the next " +
        "step.",
    );
  });
});
