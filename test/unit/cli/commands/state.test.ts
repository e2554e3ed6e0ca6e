import { describe, expect, test } from "vitest";
import { emptyState, type State } from "../../../../src/model/state.ts";
import { insideScene } from "../../../support/inside-scene.ts";

const state: State = { ...emptyState("ours"), serial: 7, service: "https://old.example" };

describe("roster state set-endpoint", () => {
  test("lets what is remembered of a service count for its new address, as the refusal of the old one says", async () => {
    const at = await insideScene();
    await at.remember(state);
    const refused = await at.run(["apply", "--auto-approve"]);
    expect(refused.code).toBe(3);
    const said = `roster state set-endpoint ${at.server.endpoint}`;
    expect(refused.stderr.replace(/\s+/gu, " ")).toContain(`\`${said}\``);
    const run = await at.run([...said.split(" ").slice(1), "--format", "json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({
      state: { did: "set-endpoint", from: "https://old.example", to: at.server.endpoint },
      exit_code: 0,
    });
    const shown = await at.run(["state", "show", "--format", "json"]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ lineage: "ours", serial: 8, service: at.server.endpoint });
    expect((await at.run(["plan"])).code).toBe(0);
    expect((await at.run(["state", "unlock"])).code).toBe(0);
  });

  test.each<[string, State, string, string]>([
    [
      "where no service is remembered",
      { ...emptyState("ours"), serial: 7 },
      "https://new.example",
      "no-service-recorded",
    ],
    ["where it is that service's already", state, "https://old.example/api/", "endpoint-unchanged"],
    ["for what is no address", state, "new.example", "bad-endpoint"],
    ["for an address with credentials", state, "https://me:secret@new.example", "bad-endpoint"],
  ])("is refused %s (3), and changes nothing", async (_, remembered, to, code) => {
    const at = await insideScene();
    await at.remember(remembered);
    const before = (await at.run(["state", "show", "--format", "json"])).stdout;
    const run = await at.run(["state", "set-endpoint", to, "--format", "json"]);
    expect([run.code, JSON.parse(run.stdout).diagnostics[0].code]).toEqual([3, code]);
    expect(`${run.stdout}${run.stderr}`).not.toContain("secret");
    expect((await at.run(["state", "show", "--format", "json"])).stdout).toBe(before);
  });

  test("is refused where the state was moved (1)", async () => {
    const at = await insideScene();
    await at.remember({ ...state, moved: { to: "file:b.json", at: "2026-11-20T12:00:00.000Z" } });
    const run = await at.run(["state", "set-endpoint", "https://new.example"]);
    expect([run.code, run.stderr.includes("was moved to file:b.json")]).toEqual([1, true]);
  });
});
