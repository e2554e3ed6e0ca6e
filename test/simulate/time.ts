import type { Clock } from "../../src/ports/clock.ts";
import type { Dice } from "../support/dice.ts";
import { type WallDraw, wallTime } from "../support/virtual-time.ts";

/** Time that jumps to what is due next once nothing is under way. What is due at once comes in an order that the dice decide. */
export interface SimulatedTime {
  now(): number;
  /** Resolves after so many milliseconds, whatever becomes of the process that asks. */
  after(milliseconds: number): Promise<void>;
  /** The clock of one process. `goesOn` resolves at once while it runs, later once it is woken, and never once it is dead. */
  clock(wall: WallDraw, goesOn: () => Promise<void>): Clock;
  /** Something happens: what it leads to is waited for before time goes on. */
  stir(): void;
  until<T>(work: Promise<T>): Promise<T>;
  /** Time passes while no process works: what is on its way arrives; whoever beats is stopped or dead, and beats no more. */
  pass(milliseconds: number): Promise<void>;
  /** Timers that the program itself sets in the course of the work, such as the signs of life of a lock's holder, go by this time. */
  withIntervals<T>(work: () => Promise<T>): Promise<T>;
}

interface Timer {
  due: number;
  readonly ring: () => void;
  /** Comes again after so many milliseconds; nothing waits for it. */
  readonly every?: number;
}

/** An apply waits some hundred times. */
const patience = 20_000;

export function simulatedTime(dice: Dice, start: number, passed: (milliseconds: number) => void): SimulatedTime {
  let time = start;
  let stirred = 0;
  const timers = new Set<Timer>();

  function moveTo(next: number): void {
    if (next > time) passed(next - time);
    time = Math.max(time, next);
  }

  /** Calls of one turn of the event loop are written together, and that takes a turn or two. */
  async function calm(): Promise<void> {
    for (let turns = 0; turns < 3; ) {
      const before = stirred;
      await new Promise<void>((resolve) => setImmediate(resolve));
      turns = stirred === before ? turns + 1 : 0;
    }
  }

  const isWaitedFor = ({ every }: Timer) => every === undefined;

  function ringFirst(among: readonly Timer[]): void {
    const due = Math.min(...among.map((timer) => timer.due));
    const next = dice.one(among.filter((timer) => timer.due === due));
    if (next === undefined) throw new Error("The simulation waits for something that never comes.");
    moveTo(next.due);
    if (next.every === undefined) timers.delete(next);
    else next.due += next.every;
    next.ring();
  }

  const after = (milliseconds: number) =>
    new Promise<void>((ring) => timers.add({ due: time + Math.max(0, milliseconds), ring }));

  return {
    now: () => time,
    after,
    stir() {
      stirred += 1;
    },
    clock(wallDraw, goesOn) {
      const wall = wallTime(wallDraw, time);
      return {
        now: () => wall(time),
        monotonic: () => time,
        async wait(milliseconds, signal) {
          stirred += 1;
          if (signal?.aborted) return;
          await new Promise<void>((resolve) => {
            const ring = () => {
              timers.delete(timer);
              signal?.removeEventListener("abort", ring);
              resolve();
            };
            const timer: Timer = { due: time + Math.max(0, milliseconds), ring };
            timers.add(timer);
            signal?.addEventListener("abort", ring);
          });
          await goesOn();
          stirred += 1;
        },
      };
    },
    async until(work) {
      let isDone = false;
      const end = () => {
        isDone = true;
      };
      work.then(end, end);
      let rung = 0;
      for (await calm(); !isDone; await calm()) {
        rung += 1;
        if (rung > patience) throw new Error("The simulation waits for something that does not end.");
        const all = [...timers];
        ringFirst(all.some(isWaitedFor) ? all : []);
      }
      return work;
    },
    async pass(milliseconds) {
      const end = time + milliseconds;
      for (;;) {
        const arriving = [...timers].filter((timer) => isWaitedFor(timer) && timer.due <= end);
        if (arriving.length === 0) break;
        ringFirst(arriving);
        await calm();
      }
      moveTo(end);
      for (const timer of timers) if (timer.every !== undefined && timer.due < time) timer.due = time + timer.every;
    },
    async withIntervals(work) {
      const { setInterval: set, clearInterval: clear } = globalThis;
      const begin = (beat: () => void, every: number) => {
        const timer: Timer = { due: time + every, ring: beat, every };
        timers.add(timer);
        return { unref: () => undefined, timer };
      };
      const end = ({ timer }: { readonly timer: Timer }) => void timers.delete(timer);
      try {
        Object.assign(globalThis, { setInterval: begin, clearInterval: end });
        return await work();
      } finally {
        Object.assign(globalThis, { setInterval: set, clearInterval: clear });
      }
    },
  };
}
