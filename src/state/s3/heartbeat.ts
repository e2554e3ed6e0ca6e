/** Milliseconds between two signs of life. */
const interval = 20_000;

/** Calls `beat` again and again until what it returns is called. */
export type StartHeartbeat = (milliseconds: number, beat: () => Promise<void>) => () => void;

/** Beats by the time of this machine, and keeps no process alive that has nothing else to do. */
export const timerHeartbeat: StartHeartbeat = (milliseconds, beat) => {
  const timer = setInterval(() => void beat(), milliseconds);
  timer.unref();
  return () => clearInterval(timer);
};

interface Heartbeat {
  /** Resolves when the beat under way, if any, has ended: no other follows. */
  stop(): Promise<void>;
}

/** One beat at a time: one that is due while another is under way is left out. */
export function keepHeartbeat(start: StartHeartbeat, beat: () => Promise<void>): Heartbeat {
  let underWay: Promise<void> | undefined;
  const end = start(interval, () => {
    underWay ??= beat().finally(() => {
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
