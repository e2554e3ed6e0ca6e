/** Calls `beat` again and again until what it returns is called. */
export type StartBeats = (milliseconds: number, beat: () => Promise<void>) => () => void;

/** Beats by the time of this machine, and keeps no process alive that has nothing else to do. */
export const timerBeats: StartBeats = (milliseconds, beat) => {
  const timer = setInterval(() => void beat(), milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};

/** The signs of life of whoever holds a lock. */
interface Heartbeat {
  /** Resolves when the beat under way, if any, has ended: no other follows. */
  stop(): Promise<void>;
}

/** One beat at a time: one that is due while another is under way is left out. Once the lock is lost, none follows. */
export function startHeartbeat(
  milliseconds: number,
  beat: () => Promise<"held" | "lost">,
  start: StartBeats = timerBeats,
): Heartbeat {
  let underWay: Promise<void> | undefined;

  async function beatOnce(): Promise<void> {
    if ((await beat()) === "lost") end();
  }

  const end = start(milliseconds, () => {
    underWay ??= beatOnce().finally(() => {
      underWay = undefined;
    });
    return underWay;
  });
  return {
    async stop() {
      end();
      await underWay;
    },
  };
}
