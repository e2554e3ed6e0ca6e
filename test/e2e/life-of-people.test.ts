import { describe, expect, test } from "vitest";
import { writeRoster } from "../support/roster-directory.ts";
import { company, type Scene, scene, standing, writesOf } from "../support/trap-scene.ts";

const bo = "bo@acme.example";
const boLine = "  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }\n";

/** The company without bo: nobody names him, or the given lines do. */
function withoutBo(more = "", team = ""): string {
  return company.replace(boLine, more).replace(`, { user: ${bo} }`, "").replace("    members:", `${team}    members:`);
}

async function write(at: Scene, text: string): Promise<void> {
  await writeRoster(at.directory, { "roster.yaml": text });
}

/** What a run of the command sends, its exit code and what it tells. */
async function told(at: Scene, run: () => ReturnType<Scene["apply"]>) {
  const before = writesOf(at.server).length;
  const { code, findings } = await run();
  return { code, findings, sent: writesOf(at.server).length - before };
}

const keysOfBo = (at: Scene) => standing(at.server).keys.filter((line) => line.startsWith("bo"));

describe.concurrent("people who leave", () => {
  test("as leavers lose every role, and block until the service shows them gone", async ({ onTestFinished }) => {
    const at = await scene(onTestFinished, {});
    await at.apply();
    await write(at, `${withoutBo()}leavers:\n  - { email: ${bo}, since: 2026-11-20, note: HR-812 }\n`);
    const remains = [`!leaver-remains user ${bo}`];
    expect(await told(at, () => at.plan())).toEqual({ code: 2, findings: remains, sent: 0 });
    expect(await told(at, () => at.apply())).toEqual({ code: 9, findings: remains, sent: 2 });
    expect(keysOfBo(at)).toEqual([`${bo} Red: `, `${bo} own: `]);
    expect(await told(at, () => at.apply())).toEqual({ code: 9, findings: remains, sent: 0 });
    at.server.world.setUserStatus(bo, "Inactive");
    expect(await told(at, () => at.apply())).toEqual({ code: 0, findings: [`leaver-disabled user ${bo}`], sent: 0 });
    at.server.world.removeUser(bo);
    expect(await told(at, () => at.apply())).toEqual({ code: 0, findings: [], sent: 0 });
    await write(at, company);
    expect(await told(at, () => at.plan())).toEqual({ code: 9, findings: [`!user-missing user ${bo}`], sent: 0 });
  });
});
