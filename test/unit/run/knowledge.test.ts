import { expect, test } from "vitest";
import { emptyState } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import { creationIntent } from "../../../src/run/create-user.ts";
import { RunKnowledge } from "../../../src/run/knowledge.ts";
import { aCreation, aPlan } from "../../support/action-builders.ts";
import { addressOf } from "../../support/roster-builders.ts";

test("the writes that were answered are sampled by kind and time: the latest first, three at the most", () => {
  const knowledge = new RunKnowledge({
    plan: aPlan([]),
    run: "r1",
    state: emptyState("l"),
    shown: [],
    former: new Set(),
  });
  const user = (name: string) => ({ of: "user", address: addressOf(name) }) as const;
  const creation = creationIntent(aCreation("zoe"));
  const addition = { kind: "add-members", team: teamKeyOf("acc-1", "Ops"), name: "Ops", account: "acc-1" } as const;
  for (const [index, name] of ["ada", "bo", "cy", "di", "ed"].entries()) {
    knowledge.acknowledge(creation, [user(name)], index * 1000);
  }
  knowledge.acknowledge({ ...addition, identifier: "t-1", addresses: [] }, [user("fe")], 4000);
  const since = (begun: number) => knowledge.neighboursOf(creation, begun).map(({ effect }) => effect.address);
  expect([0, 3000, 4000, 5001].map(since)).toEqual([
    ["ed", "di", "cy"].map(addressOf),
    ["ed", "di", "cy"].map(addressOf),
    ["ed", "di"].map(addressOf),
    [],
  ]);
});
