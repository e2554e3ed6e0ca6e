import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { rosterOf, seedOf } from "./company.ts";
import { ratio, type Timed } from "./timing.ts";

/** Prints each figure as the median (low to high) of ratios measured in turn in this run. */
async function main(): Promise<void> {
  const cwd = await mkdtemp(join(tmpdir(), "roster-bench-"));
  try {
    await startUp(cwd);
    await tenThousand(cwd);
    await newCompany(cwd);
    // React is as fast as in the bundle.
    process.env["NODE_ENV"] = "production";
    const { reviewKeys } = await import("./review.tsx");
    await reviewKeys();
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

const program = resolve("dist/main.js");

async function startUp(cwd: string): Promise<void> {
  const nothing: Timed = { args: ["-e", "0"], cwd };
  await show("roster --version / node -e 0", { args: [program, "--version"], cwd }, nothing, 15);
  const server = await startReferenceServer({ port: 0, seed: seedOf(10) });
  await writeFile(join(cwd, "ten.yaml"), rosterOf(10));
  await show("plan of 10 users / node -e 0", planOf("ten.yaml", cwd, server), nothing, 15);
  await server.close();
}

async function tenThousand(cwd: string): Promise<void> {
  const server = await startReferenceServer({ port: 0, seed: seedOf(10_000) });
  await writeFile(join(cwd, "many.yaml"), rosterOf(10_000));
  const bare: Timed = { args: [resolve("test/bench/bare-read.mjs")], cwd, env: reach(server) };
  await show("plan of 10,000 users / bare read of the same users", planOf("many.yaml", cwd, server), bare, 5);
  await server.close();
}

async function newCompany(cwd: string): Promise<void> {
  await writeFile(join(cwd, "new.yaml"), rosterOf(1000));
  await writeFile(join(cwd, "roster.config.yaml"), "guards: { max-new-users: off, max-invitations: off }\n");
  const open: ReferenceServer[] = [];
  const fresh = async () => {
    const server = await startReferenceServer({ port: 0 });
    open.push(server);
    await rm(join(cwd, "new-state"), { recursive: true, force: true });
    return { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key, ENDPOINT: server.endpoint, KEY: server.key };
  };
  const applies: Timed = {
    args: [program, "apply", "--auto-approve", "--state", "file:new-state/state.json", "new.yaml"],
    cwd,
    before: async () => {
      const { ROSTER_ENDPOINT, ROSTER_API_KEY } = await fresh();
      return { ROSTER_ENDPOINT, ROSTER_API_KEY };
    },
  };
  const bare: Timed = { args: [resolve("test/bench/bare-apply.mjs")], cwd, env: { TEAMS: "100" }, before: fresh };
  await show("apply of 1,000 new users / bare loop of the same writes", applies, bare, 5);
  for (const server of open) await server.close();
}

function planOf(file: string, cwd: string, server: ReferenceServer): Timed {
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  return { args: [program, "plan", "--detailed-exitcode", file], cwd, env };
}

function reach(server: ReferenceServer): Record<string, string> {
  return { ENDPOINT: server.endpoint, KEY: server.key };
}

async function show(what: string, a: Timed, b: Timed, rounds: number): Promise<void> {
  const { median, low, high } = await ratio(a, b, rounds);
  process.stdout.write(`${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)}), ${rounds} rounds  ${what}\n`);
}

await main();
