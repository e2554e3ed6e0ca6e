import { rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../../src/library/system.ts";
import type { ReferenceServer } from "../../src/reference-server/server.ts";
import { allowanceFor } from "./drawn/printed-words.ts";
import { type InsideSceneOptions, insideScene } from "./inside-scene.ts";
import { writeRoster } from "./roster-directory.ts";
import { company, standing } from "./trap-scene.ts";

/** A service, a roster about it that was applied once, and the command between them, all in this process. */
export interface LifeScene {
  readonly world: ReferenceServer["world"];
  /** The roster's text from now on, and files beside it. */
  write(text: string, others?: Readonly<Record<string, string>>): Promise<void>;
  /** `guards:` and the like. */
  set(settings: string): Promise<void>;
  /** Days pass. */
  pass(days: number): void;
  apply(...flags: readonly string[]): Promise<Lived>;
  drift(...flags: readonly string[]): Promise<Drifted>;
  run(...args: readonly string[]): Promise<Lived>;
  /** The value of `--allow` for what a plan of this moment offers. */
  offered(what: string): Promise<string>;
  /** What there is in the service. */
  there(): ReturnType<typeof standing>;
}

/** What a command came to. */
export interface Lived {
  readonly code: number;
  /** Ids of the actions that were done. */
  readonly did: readonly string[];
  /** Code and subject of each finding, blocking ones marked by a `!`; what is wrong with the roster by its code alone. */
  readonly told: readonly string[];
}

/** What a drift job came to: with the subjects of what others have changed. */
export interface Drifted extends Lived {
  readonly tampered: readonly string[];
}

const minute = 60_000;

interface Finding {
  readonly code: string;
  readonly subject: string;
  readonly blocking: boolean;
}

interface RunDocument {
  readonly findings?: readonly Finding[];
  readonly run?: {
    readonly findings: readonly Finding[];
    readonly outcomes: readonly { readonly action: string; readonly outcome: string }[];
  };
  readonly diagnostics: readonly { readonly code: string }[];
  readonly drift?: { readonly items: readonly { readonly class: string; readonly subject: string }[] };
}

/** Two people in one team, as they are once they were applied; other texts and settings from the start where they are given. */
export async function lifeScene(text = company, options: InsideSceneOptions = {}): Promise<LifeScene> {
  const at = await insideScene(options);
  const { server } = at;
  let ahead = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ahead };
  const result = (...args: readonly string[]) => {
    // Whatever was done before must show by now, so that nothing is waited for.
    ahead += minute;
    return at.run([...args, "--format", "json"], { clock });
  };
  const run: LifeScene["run"] = async (...args) => livedOf(await result(...args));
  const scene: LifeScene = {
    world: server.world,
    write: (roster, others = {}) => writeRoster(join(at.cwd, "roster"), { "roster.yaml": roster, ...others }),
    set: (settings) => writeRoster(at.cwd, { "roster.config.yaml": `roster: [roster]\n${settings}\n` }),
    pass(days) {
      ahead += days * 24 * 60 * minute;
    },
    apply: (...flags) => run("apply", "--auto-approve", ...flags),
    async drift(...flags) {
      const drifted = await result("drift", ...flags);
      const { drift: { items } = { items: [] } } = JSON.parse(drifted.stdout) as RunDocument;
      const tampered = items.filter((item) => item.class === "tampered").map(({ subject }) => subject);
      return { ...livedOf(drifted), tampered };
    },
    run,
    offered: async (what) => allowanceFor(what, (await result("plan")).stdout),
    there: () => standing(server),
  };
  await rm(join(at.cwd, "roster.yaml"));
  await scene.set("");
  await scene.write(text);
  await scene.apply();
  return scene;
}

function livedOf({ code, stdout }: { readonly code: number; readonly stdout: string }): Lived {
  const { findings = [], run, diagnostics } = JSON.parse(stdout) as RunDocument;
  return {
    code,
    did: (run?.outcomes ?? []).filter(({ outcome }) => outcome === "succeeded").map(({ action }) => action),
    told: [
      ...[...findings, ...(run?.findings ?? [])].map((one) => `${one.blocking ? "!" : ""}${one.code} ${one.subject}`),
      ...diagnostics.map((one) => one.code),
    ],
  };
}
