import type { Environment } from "../../src/library/environment.ts";
import type { Clock, Randomness } from "../../src/ports/clock.ts";
import type { Dice } from "../support/dice.ts";
import { faultyDisk, type Strike } from "../support/faulty-disk.ts";
import { countingRandomness } from "../support/fixed-ports.ts";
import { type MemoryDisk, memoryDisk, systemError } from "../support/memory-disk.ts";
import type { WallDraw } from "../support/virtual-time.ts";
import type { SimulatedTime } from "./time.ts";

/** What befalls a process at its n-th step: a call that changes the disk, something sent, or an answer. */
export type Blow =
  | { readonly is: "death"; readonly at: number; readonly power: "lost" | "kept" }
  | { readonly is: "stop"; readonly at: number }
  | { readonly is: "disk-error"; readonly at: number; readonly code: string; readonly calls: number };

export interface ProcessOptions {
  readonly wall: WallDraw;
  readonly blow?: Blow | undefined;
  readonly syncTime: number;
}

type LocalSystem = NonNullable<Environment["localSystem"]>;

export interface Worker {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly system: LocalSystem;
}

/** Machines that share a disk, which outlives their processes. */
export interface SimulatedPlace {
  disk(): MemoryDisk;
  /** What would be left if the power were lost now, and all that may be lost were. */
  durableImage(): MemoryDisk;
  start(options: ProcessOptions): SimulatedProcess;
  /** Somebody to whom nothing happens, with a look at a disk. */
  onlooker(disk: MemoryDisk): Worker;
  pass(milliseconds: number): void;
}

export function simulatedPlace(dice: Dice, time: SimulatedTime): SimulatedPlace {
  let disk = memoryDisk(undefined, time.now());
  const processes: SimulatedProcess[] = [];
  /** Nobody can tell whether a process of another machine is gone. */
  const hosts = ["one", dice.chance(0.3) ? "two" : "one"];

  function losePower(): void {
    const isMostlyKept = dice.chance(0.25);
    disk = disk.afterPowerLoss(
      () => dice.chance(0.5) || isMostlyKept,
      (added) => dice.below(added + 1),
    );
    for (const process of processes) process.kill();
  }

  function systemOf(own: MemoryDisk, before: (name: string) => Promise<Strike | undefined>): LocalSystem {
    const pid = processes.length + 1;
    const host = hosts[pid % 2] ?? "";
    return {
      disk: faultyDisk(own, ({ name }) => before(name)),
      identity: async () => ({ host, pid }),
      isProvablyDead: async (other) => other.host === host && processes[other.pid - 1]?.state() === "dead",
    };
  }

  return {
    disk: () => disk,
    durableImage: () => disk.afterPowerLoss(() => false),
    pass: (milliseconds) => disk.pass(milliseconds),
    onlooker: (looked) => ({
      clock: time.clock({ ahead: 0 }, () => Promise.resolve()),
      randomness: countingRandomness("onlooker"),
      system: {
        disk: looked,
        identity: async () => ({ host: "elsewhere", pid: 0 }),
        isProvablyDead: async () => false,
      },
    }),
    start(options) {
      const own = disk;
      const world = { dice, time, losePower, systemOf: (before: BeforeDisk) => systemOf(own, before) };
      const process = new SimulatedProcess(`p${processes.length + 1}`, options, world);
      processes.push(process);
      return process;
    },
  };
}

type BeforeDisk = (name: string) => Promise<Strike | undefined>;

interface ProcessWorld {
  readonly dice: Dice;
  readonly time: SimulatedTime;
  readonly losePower: () => void;
  readonly systemOf: (before: BeforeDisk) => LocalSystem;
}

const never = new Promise<never>(() => undefined);

const changes: ReadonlySet<string> = new Set([
  "makeDirectory",
  "open",
  "write",
  "sync",
  "datasync",
  "truncate",
  "rename",
  "remove",
  "removeEmpty",
  "removeTree",
]);

/** A process that may die, sleep, or meet a disk that fails. Once it is dead nothing that it waits for ever comes. */
export class SimulatedProcess implements Worker {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly system: LocalSystem;
  readonly died: Promise<"died">;
  readonly stopped: Promise<"stopped">;
  readonly #options: ProcessOptions;
  readonly #world: ProcessWorld;
  #state: "runs" | "stopped" | "dead" = "runs";
  #steps = 0;
  #errors = 0;
  #awake: Promise<void> = Promise.resolve();
  #wakeUp: () => void = () => undefined;
  #die: (how: "died") => void = () => undefined;
  #stop: (how: "stopped") => void = () => undefined;

  constructor(name: string, options: ProcessOptions, world: ProcessWorld) {
    this.#options = options;
    this.#world = world;
    this.died = new Promise((resolve) => {
      this.#die = resolve;
    });
    this.stopped = new Promise((resolve) => {
      this.#stop = resolve;
    });
    this.clock = world.time.clock(options.wall, () => this.goesOn());
    this.randomness = countingRandomness(name);
    this.system = world.systemOf((call) => this.#beforeDisk(call));
  }

  state(): "runs" | "stopped" | "dead" {
    return this.#state;
  }

  steps(): number {
    return this.#steps;
  }

  hadDiskErrors(): boolean {
    return this.#errors > 0;
  }

  /** Resolves at once while it runs, later once it is woken, and never once it is dead. */
  async goesOn(): Promise<void> {
    while (this.#state === "stopped") await this.#awake;
    if (this.#state === "dead") await never;
  }

  /** To be awaited by whatever it does or learns outside of its memory. */
  async step(): Promise<void> {
    await this.goesOn();
    this.#world.time.stir();
    if (!this.#isStruck()) return;
    if (this.#options.blow?.is === "stop") this.#sleep();
    else this.#strikeDead();
    await this.goesOn();
  }

  wake(): void {
    if (this.#state !== "stopped") return;
    this.#state = "runs";
    this.#wakeUp();
  }

  kill(): void {
    this.#state = "dead";
    this.#wakeUp();
    this.#die("died");
  }

  #isStruck(): boolean {
    const { blow } = this.#options;
    this.#steps += 1;
    return blow !== undefined && blow.is !== "disk-error" && this.#steps === blow.at;
  }

  #strikeDead(): void {
    const { blow } = this.#options;
    this.kill();
    if (blow?.is === "death" && blow.power === "lost") this.#world.losePower();
  }

  #sleep(): void {
    this.#state = "stopped";
    this.#awake = new Promise((resolve) => {
      this.#wakeUp = resolve;
    });
    this.#stop("stopped");
  }

  async #beforeDisk(name: string): Promise<Strike | undefined> {
    const { syncTime, blow } = this.#options;
    await this.goesOn();
    this.#world.time.stir();
    if (!changes.has(name)) return undefined;
    if (syncTime > 0 && (name === "sync" || name === "datasync")) await this.clock.wait(syncTime);
    const isStruck = this.#isStruck();
    if (isStruck && blow?.is === "death") return this.#deathAtDisk();
    if (isStruck) this.#sleep();
    await this.goesOn();
    return this.#diskError(name);
  }

  /** What is done first all the same is done before the process is gone. */
  #deathAtDisk(): Strike {
    const first = this.#world.dice.one(["half", "all", undefined] as const);
    setImmediate(() => this.#strikeDead());
    return { how: "dies", ...(first === undefined ? {} : { first }) };
  }

  #diskError(name: string): Strike | undefined {
    const { blow } = this.#options;
    if (blow?.is !== "disk-error" || this.#steps < blow.at || this.#errors >= blow.calls) return undefined;
    this.#errors += 1;
    const isHalfDone = name === "write" && this.#world.dice.chance(0.5);
    return { how: systemError(blow.code, name), ...(isHalfDone ? { first: "half" } : {}) };
  }
}
