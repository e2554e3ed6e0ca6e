import fc from "fast-check";
import { sha256 } from "../../src/model/sha256.ts";
import { seededRandom } from "../../src/reference-server/identifiers.ts";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { loadSeed } from "../../src/reference-server/load-seed.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import { TestControls } from "../../src/reference-server/test-controls.ts";
import { systemOwner } from "../../src/reference-server/world.ts";
import { companyOf } from "../support/drawn/company.ts";
import { basePathOf, type Draw, draws, openService } from "../support/drawn/draw.ts";
import type { DrawnService } from "../support/drawn/drawn-service.ts";
import { filledService } from "../support/drawn/reference-service.ts";
import { presetKnobs } from "../support/drawn/reference-ways.ts";
import { situations } from "../support/random-situations.ts";
import { type SituationDraw, situationFiles, situationSeed } from "./situation-roster.ts";
import { type Tampering, tamper } from "./tampering.ts";

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

interface MeddledDraw extends SituationDraw {
  readonly knobs: Partial<Knobs>;
  readonly parallelism: number;
  /** Milliseconds between the two rounds. */
  readonly pause: number;
  readonly meddling: readonly Tampering[];
}

const meddled: fc.Arbitrary<MeddledDraw> = fc.record({
  situation: situations,
  later: situations,
  seed: fc.nat(1_000_000),
  knobs: presetKnobs,
  parallelism: fc.constantFrom(1, 4, 10),
  pause: fc.constantFrom(0, 0, 300, 3000, 10_000),
  meddling: fc.array(
    fc.record({
      does: fc.constantFrom("adds-user", "adds-member", "sets-roles", "deletes-user"),
      person: fc.nat(6),
      team: fc.nat(2),
      roles: fc.subarray(["TEAM_ROLE", "DEVELOPER", "ACCOUNT_ADMIN"]),
    }),
    { maxLength: 2 },
  ),
});

const worlds: fc.Arbitrary<DrawnWorld> = fc.oneof(draws.map(companyWorld), meddled.map(meddledWorld));

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

/**
 * A reference server that knows people and teams in part, and two rosters that say everything that a roster can say of them.
 * Between the two other people change what it has.
 */
function meddledWorld({ situation, later, seed, knobs, parallelism, pause, meddling }: MeddledDraw): DrawnWorld {
  return {
    open(now) {
      const { service, world } = seededService(situationSeed(situation), knobs, now);
      const removed = new Set<string>();
      return {
        service,
        endpoint: `${origin}${basePathOf({ kind: "reference", ways: knobs })}`,
        settings: undefined,
        rounds: [situation, later].map((one, index) => ({
          files: situationFiles(one, seed + index),
          isAllowing: true,
          parallelism: countsRequests(knobs) ? 1 : parallelism,
          pause,
          tamper() {
            for (const what of index === 0 ? [] : meddling) tamper(what, world, removed);
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
