import { expect, test } from "vitest";
import { emptyState } from "../../../src/model/state.ts";
import { RunKnowledge } from "../../../src/run/knowledge.ts";
import { addressOf } from "../../support/roster-builders.ts";

test("the writes that were answered are sampled by kind and time: the latest first, three at the most", () => {
  const knowledge = new RunKnowledge({ run: "r1", state: emptyState("l"), shown: [], former: new Set() });
  const user = (name: string) => ({ of: "user", address: addressOf(name) }) as const;
  for (const [index, name] of ["ada", "bo", "cy", "di", "ed"].entries()) {
    knowledge.acknowledge({ kind: "creation", effect: user(name), begun: index * 1000 });
  }
  knowledge.acknowledge({ kind: "addition", effect: user("fe"), begun: 4000 });
  const since = (begun: number) => knowledge.acknowledgedSince(begun, "creation").map(({ effect }) => effect.address);
  expect([0, 3000, 4000, 5001].map(since)).toEqual([
    ["ed", "di", "cy"].map(addressOf),
    ["ed", "di", "cy"].map(addressOf),
    ["ed", "di"].map(addressOf),
    [],
  ]);
});
