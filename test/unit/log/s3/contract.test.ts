import type { RosterLog } from "../../../../src/log/port.ts";
import { noon } from "../../../support/event-builders.ts";
import { clockAt, countingRandomness } from "../../../support/fixed-ports.ts";
import { beats, bucketCredentials, lockObject, logPath, openS3At, smallS3Place } from "../../../support/s3-place.ts";
import { closedEndpoint } from "../../../support/scripted-server.ts";
import { describeStore } from "../../../support/store-contract.ts";
import { held, type StorePlace } from "../../../support/store-kind.ts";

async function place(): Promise<StorePlace> {
  const { server, clock, open } = await smallS3Place();
  const living = new Map<RosterLog, ReturnType<typeof beats>>();
  const opening = (): RosterLog => {
    const running = beats();
    const store = open(running);
    living.set(store, running);
    return store;
  };
  return {
    open: async () => opening(),
    openSilent: async () => open(),
    async pass(milliseconds) {
      clock.move(milliseconds);
      for (const running of living.values()) await running.beat();
    },
    async kill(store) {
      living.get(store)?.end();
      const person = open();
      await person.breakLease((await held(person)).id);
    },
    content: async () =>
      JSON.stringify([...server.objects()].filter(([path]) => path !== lockObject)).replace("[]", ""),
    async damage() {
      const batches = server.paths().filter((path) => path.startsWith(`${logPath}/`));
      server.put(batches.at(-1) ?? "", "{");
    },
    openUnreachable: async () => {
      const address = `s3://acme/log?endpoint=${(await closedEndpoint()).origin}`;
      return openS3At(address, { clock: clockAt(noon), randomness: countingRandomness(), startBeats: beats().start });
    },
  };
}

describeStore({
  name: "s3, on a small service of our own",
  place,
  secrets: Object.values(bucketCredentials),
  deadAfter: 60_000,
});
