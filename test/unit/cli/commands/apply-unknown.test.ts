import { expect, test } from "vitest";
import { emptyState, type State } from "../../../../src/model/state.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import { openIntent } from "../../../support/event-builders.ts";
import { insideScene } from "../../../support/inside-scene.ts";
import { addressOf } from "../../../support/roster-builders.ts";

const long = "2020-01-01T00:00:00.000Z";
const red = { team: teamKeyOf("acc-1", "Red"), name: "Red", account: "acc-1", identifier: "t-1" };
const addition = { kind: "add-members", ...red, addresses: [addressOf("bo")] } as const;

/** Ada is in the team, and a run died when it had sent Bo's addition, which this service does not show. */
const died: State = {
  ...emptyState("ours"),
  serial: 7,
  teams: new Map([[red.team, { ...red, at: long }]]),
  open: [openIntent("r1", "add-members:acc-1/red", addition, long)],
};

test("an apply ends with what it cannot settle (7) until a person settles it, and sends nothing of it again", async () => {
  const at = await insideScene({ knobs: { showKeys: "none" } });
  at.server.world.addUser({ email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" });
  at.server.world.addUser({ email: "bo@acme.example", firstName: "Bo", lastName: "Diaz" });
  await at.remember(died);
  const apply = async () => (await at.run(["apply", "--auto-approve", "--format", "json"])).code;
  expect([await apply(), await apply()]).toEqual([7, 7]);
  expect((await at.run(["plan", "--detailed-exitcode"])).code).toBe(9);
  const listed = await at.run(["state", "resolve", "--format", "json"]);
  const [call] = (JSON.parse(listed.stdout) as { state: { calls: readonly { id: string }[] } }).state.calls;
  expect((await at.run(["state", "resolve", call?.id ?? "", "done"])).code).toBe(0);
  expect(await apply()).toBe(9);
  expect(at.writes()).toEqual([]);
});
