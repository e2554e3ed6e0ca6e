import fc from "fast-check";
import { sha256 } from "../../src/model/sha256.ts";
import { seededRandom } from "../../src/reference-server/identifiers.ts";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { loadSeed } from "../../src/reference-server/load-seed.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import { TestControls } from "../../src/reference-server/test-controls.ts";
import { systemOwner } from "../../src/reference-server/world.ts";
import { rosterText, seedOf, wantedOf } from "../support/chaos-company.ts";
import { type ChaosDraw, chaosDraws } from "../support/chaos-draw.ts";
import { tamper } from "../support/chaos-tampering.ts";
import { companyOf } from "../support/drawn/company.ts";
import { basePathOf, type Draw, draws, openService } from "../support/drawn/draw.ts";
import type { DrawnService } from "../support/drawn/drawn-service.ts";
import { filledService } from "../support/drawn/reference-service.ts";
import { situations } from "../support/random-situations.ts";
import { type SituationDraw, situationFiles, situationSeed } from "./situation-roster.ts";

/** A service with its company, which each build meets afresh. */
export interface DrawnWorld {
  /** `asked`: how many times more than it was each request counts as asked before. */
  open(now: () => number, asked: () => number): OpenedWorld;
}

export interface OpenedWorld {
  readonly service: DrawnService;
  readonly endpoint: string;
  readonly settings: string | undefined;
  readonly rounds: readonly Round[];
}

/** What happens before commands are given, and how they are given. */
export interface Round {
  /** By path below the directory of the roster. */
  readonly files: Readonly<Record<string, string>>;
  readonly parallelism: number;
  /** Milliseconds since the round before. */
  readonly pause: number;
  /** Whether a person allows whatever a plan offers. */
  readonly isAllowing: boolean;
  /** What other people do to the service. */
  readonly tamper: () => void;
}

const origin = "https://service.example";

const worlds: fc.Arbitrary<DrawnWorld> = fc.oneof(
  { weight: 2, arbitrary: draws.map(companyWorld) },
  { weight: 1, arbitrary: chaosDraws.map(editionsWorld) },
  {
    weight: 2,
    arbitrary: fc
      .record({ situation: situations, later: situations, seed: fc.nat(1_000_000), draw: chaosDraws })
      .map(situationWorld),
  },
);

/** The same seed draws the same world. */
export function worldOfSeed(seed: number): DrawnWorld {
  const [world] = fc.sample(fc.noBias(worlds), { seed, numRuns: 1 });
  if (world === undefined) throw new Error("nothing was drawn");
  return world;
}

/** Words of roster files, and of the same length those of the reference: a place in a file stays one. */
const words: Readonly<Record<string, string>> = { '"firstMember":': '"founder":    ', '"revoke"': '"disarm"' };

/** The world as the reference meets it. */
export function inWordsOfReference(world: DrawnWorld): DrawnWorld {
  const text = (said: string) => Object.entries(words).reduce((all, [now, old]) => all.replaceAll(now, old), said);
  return {
    open(now, asked) {
      const opened = world.open(now, asked);
      const rounds = opened.rounds.map(({ files, ...round }) => ({
        ...round,
        files: Object.fromEntries(Object.entries(files).map(([path, file]) => [path, text(file)])),
      }));
      return { ...opened, rounds };
    },
  };
}

/** Any service, and a company whose roster stays: what was lost, hidden or late in one round is seen in the next. */
function companyWorld(draw: Draw): DrawnWorld {
  return {
    open(now, asked) {
      const company = companyOf(draw.company);
      const service = chanceByRequest({ seed: draw.seed, more: asked }, (random) =>
        openService(draw.service, { seed: company.seed, origin, start: draw.seed, now, random }),
      );
      const round = { files: { "roster.yaml": company.text(service) }, tamper: () => undefined };
      return {
        service,
        endpoint: `${origin}${basePathOf(draw.service)}`,
        settings: company.settings(service),
        rounds: draw.runs.slice(0, 2).map(({ parallelism, pause }, index) => ({
          ...round,
          parallelism: countsRequests(draw.service.ways) ? 1 : parallelism,
          pause,
          isAllowing: index > 0,
        })),
      };
    },
  };
}

/** Two editions of a company's roster. */
function editionsWorld(draw: ChaosDraw): DrawnWorld {
  return seededWorld(seedOf(draw.company), draw, ({ edition }, index) => ({
    isAllowing: index > 0,
    files: { "roster.yaml": rosterText(wantedOf(draw.company, edition)) },
  }));
}

/** Two rosters that say everything that a roster can say, of people and teams whom the service knows in part. */
function situationWorld({ situation, later, seed, draw }: SituationDraw & { readonly draw: ChaosDraw }): DrawnWorld {
  return seededWorld(situationSeed(situation), draw, (_, index) => ({
    isAllowing: true,
    files: situationFiles(index === 0 ? situation : later, seed + index),
  }));
}

const countedFaults = /^(?:lost|failed|crossed|throttled)/u;

/** Whether a fault comes with a request of a certain number: of several under way, another one would have it in either build. */
function countsRequests(ways: Draw["service"]["ways"]): boolean {
  return Object.entries(ways).some(
    ([name, value]) => String(value).includes("@") || (countedFaults.test(name) && value !== 0 && value !== "never"),
  );
}

/** A service whose chance depends on what it is asked and how often it was asked that, in whatever order. */
function chanceByRequest(
  { seed, more }: { readonly seed: number; readonly more: () => number },
  open: (random: () => number) => DrawnService,
): DrawnService {
  let random = seededRandom(seed);
  const asked = new Map<string, number>();
  const service = open(() => random());
  return {
    ...service,
    get people() {
      return service.people;
    },
    get teams() {
      return service.teams;
    },
    answer(request) {
      const what = `${request.method} ${request.path} ${request.body ?? ""}`;
      const times = asked.get(what) ?? 0;
      asked.set(what, times + 1);
      random = seededRandom(Number.parseInt(sha256(`${seed} ${times + more()} ${what}`).slice(0, 8), 16));
      return service.answer(request);
    },
  };
}

type RoundOf = (run: ChaosDraw["runs"][number], index: number) => Pick<Round, "files" | "isAllowing">;

/** A reference server that was filled so; between two rounds other people change what it has. */
function seededWorld(seed: Seed, { service: { knobs }, runs }: ChaosDraw, roundOf: RoundOf): DrawnWorld {
  return {
    open(now) {
      const { service, world } = seededService(seed, knobs, now);
      const removed = new Set<string>();
      return {
        service,
        endpoint: `${origin}${basePathOf({ kind: "reference", ways: knobs })}`,
        settings: undefined,
        rounds: runs.slice(0, 2).map((run, index) => ({
          ...roundOf(run, index),
          parallelism: countsRequests(knobs) ? 1 : run.parallelism,
          pause: run.pause,
          tamper() {
            for (const one of index === 0 ? [] : run.tampering) tamper(one, { server: { world }, removed });
          },
        })),
      };
    },
  };
}

function seededService(seed: Seed, knobs: Partial<Knobs>, now: () => number) {
  const held: { world?: TestControls } = {};
  const service = filledService({
    origin,
    knobs,
    now,
    fill(world) {
      held.world = new TestControls(world);
      loadSeed(seed, world);
      const [account = world.addAccount("acc-1", "Acme", "active")] = world.accounts.values();
      const owner = world.addUser({ account, email: "caller@acme.example", firstName: "Cal", lastName: "Ler" });
      return world.addKey({
        kind: "user",
        owner,
        roles: [systemOwner],
        prefix: "keyOfTheCaller",
        secret: "s3cretOfTheCaller",
      });
    },
  });
  const { world } = held;
  if (world === undefined) throw new Error("the server was opened without being filled");
  return { service, world };
}
