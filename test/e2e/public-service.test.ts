import { cp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { presets } from "../../src/reference-server/knobs/presets.ts";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { readSeed } from "../../src/reference-server/read-seed.ts";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory, prompt } from "../support/command.ts";
import { printedWords } from "../support/drawn/printed-words.ts";
import { inside } from "../support/inside.ts";
import { standing } from "../support/trap-scene.ts";
import { virtualTime } from "../support/virtual-time.ts";

/** A service with Acme in it, a copy of Acme's roster, and the command between them. */
async function acmeAt(knobs: Partial<Knobs>) {
  const file = "examples/acme.seed.yaml";
  const { seed = {} } = readSeed(file, await readFile(file));
  let come = 0;
  const time = virtualTime(Date.now, () => come > server.requests.length);
  const onRequest = () => {
    come += 1;
  };
  const server: ReferenceServer = await startReferenceServer({ port: 0, seed, knobs, now: time.now, onRequest });
  onTestFinished(() => server.close());
  const { clock } = time.clock();
  const cwd = emptyDirectory();
  await cp("examples/acme", join(cwd, "acme"), { recursive: true });
  const env = {
    ROSTER_ENDPOINT: server.endpoint,
    ROSTER_API_KEY: server.key,
    ROSTER_STATE: "file:log.jsonl",
    ...prompt,
  };
  const edit = async (name: string, changes: Readonly<Record<string, string>>): Promise<void> => {
    const path = join(cwd, "acme", name);
    let text = await readFile(path, "utf8");
    for (const [before, after] of Object.entries(changes)) {
      expect(text).toContain(before);
      text = text.replace(before, after);
    }
    await writeFile(path, text);
  };
  const run = (...args: readonly string[]) => inside([...args, "acme"], { cwd, env, clock });
  return { server, edit, run };
}

/** What a person writes who knows what this service does not show: which team is which, and whose key is for it. */
const known = {
  "teams/platform.yaml": {
    "      - { group: engineering }\n": `      - { group: engineering }
      - { user: ada@acme.example, key: platAda01 }
      - { user: bo@acme.example, key: platBo02 }
      - { user: chi@acme.example, key: platChi03 }
      - { user: dara@acme.example, key: platDara04 }
`,
  },
  "teams/data-science.yaml": {
    "  - name: Data Science\n": "  - name: Data Science\n    identifier: team-data\n",
    "{ user: hana@acme.example }": "{ user: hana@acme.example, key: dataHana01 }",
    "{ user: idris@acme.example }": "{ user: idris@acme.example, key: dataIdris02 }",
    "{ user: juno@acme.example }": "{ user: juno@acme.example, key: dataJuno03 }",
  },
};

/** What the plans offer to allow: what only a person can know. */
const absent = ["forecasting", "platform/hana@acme.example", "pricing"];
const absentLater = ["bo", "chi", "pavel"].map((name) => `forecasting/${name}@acme.example`);

async function applyAllowing({ run }: Awaited<ReturnType<typeof acmeAt>>, expected: readonly string[]) {
  const words = printedWords((await run("plan")).stdout);
  expect(words.map(({ what }) => what).sort()).toEqual(expected.map((what) => `unproven-absence:${what}`));
  return await run("apply", "--auto-approve", ...words.flatMap(({ word }) => ["--allow", word]));
}

function held({ server }: Awaited<ReturnType<typeof acmeAt>>) {
  const profiles = server.world.users.map(({ email, firstName, title }) => `${email} ${firstName} ${title}`).sort();
  return { ...standing(server), profiles };
}

test("the life and the demo of Acme on a service as the public pages show it come to what they come to on a plain one", async () => {
  const plain = await acmeAt({});
  const shown = await acmeAt(presets.public.knobs);
  const { server, edit, run } = shown;
  const same = () => expect(held(shown)).toEqual(held(plain));
  const both = async (work: (at: typeof plain) => Promise<unknown>): Promise<void> => {
    await work(plain);
    await work(shown);
  };

  for (const [name, changes] of Object.entries(known)) await edit(name, changes);
  const first = await applyAllowing(shown, absent);
  expect([first.code, first.stdout.match(/created \w+, but the API does not show its identifier/gu)]).toEqual([
    7,
    ["Forecasting", "Pricing"].map((name) => `created ${name}, but the API does not show its identifier`),
  ]);
  for (const { name, identifier } of server.world.teams.slice(2)) {
    await edit("teams/product.yaml", { [`  - name: ${name}\n`]: `  - name: ${name}\n    identifier: ${identifier}\n` });
  }
  expect((await plain.run("apply", "--auto-approve")).code).toBe(0);
  expect((await applyAllowing(shown, absentLater)).code).toBe(0);
  same();
  expect((await run("plan", "--detailed-exitcode")).stdout).toContain("No changes.");

  await both(async ({ server: { world }, run }) => {
    const prefix = world.users.find(({ email }) => email === "dara@acme.example")?.accessKeys.at(-1)?.prefix ?? "";
    world.setKeyRoles(prefix, ["ACCOUNT_ADMIN", "TEAM_ROLE"]);
    expect((await run("drift")).code).toBe(2);
    expect((await run("apply", "--auto-approve")).code).toBe(0);
  });
  same();

  const joins = "  - email: uma@acme.example\n    firstName: Uma\n    lastName: Okafor\n";
  await both(async ({ edit, run }) => {
    await edit("people/product.yaml", { "users:\n": `users:\n${joins}` });
    await edit("teams/platform.yaml", { "    members:\n": "    members:\n      - { user: uma@acme.example }\n" });
    expect((await run("apply", "--auto-approve")).code).toBe(0);
    expect((await run("plan", "--detailed-exitcode")).stdout).toContain("No changes.");
  });
  same();
});
