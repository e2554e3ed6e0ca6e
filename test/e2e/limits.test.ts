import { describe, expect, test } from "vitest";
import { scene } from "../support/trap-scene.ts";

const long = `${"ab".repeat(10_000)}@acme.example`;

describe.concurrent("how long texts may be", () => {
  test("a service that shows an address of 20,000 characters is read, and the plan is the same as without it", async ({
    onTestFinished,
  }) => {
    const at = await scene(onTestFinished, {});
    const before = await at.plan();
    at.server.world.addUser({ email: long, firstName: "Ada".repeat(10_000), lastName: "Lovelace" });
    at.server.world.addUser({ email: `x${long}`, firstName: "Ada", lastName: "Lovelace" });
    const after = await at.plan();
    expect({ code: after.code, planned: after.planned, findings: after.findings }).toEqual({
      code: 2,
      planned: before.planned,
      findings: [],
    });
    const drift = await at.drift();
    expect(drift.findings.filter((one) => one.includes(long))).toHaveLength(2);
    const imported = await at.run(["import", "imported"]);
    const valid = await at.run(["validate", "imported"]);
    expect([imported.code, valid.code]).toEqual([0, 0]);
  });
});
