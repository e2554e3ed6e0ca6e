import { resolve } from "node:path";
import type { Diagnostic } from "../../model/result.ts";
import { type Host, isPipeline } from "../host.ts";
import { placementOf, trustsCheckout } from "../trust/checkout.ts";
import type { SettingName } from "./decode-settings.ts";
import type { SettingsFile } from "./settings-file.ts";

/** What a change to the checkout, such as a pull request, could do by a setting. */
export interface SettingTrust {
  /** `refused`: with CI set it is not taken from a settings file that such a change can edit. */
  readonly inPipelines: "taken" | "refused";
  /** What the setting could do; of a taken one, why that is no harm. Completes a sentence. */
  readonly because: string;
  /** What says the same from outside the settings, where something does. */
  readonly otherwise?: string;
  /** A plan that is made of a snapshot never looks at it: where neither service nor state is met, it can do nothing. */
  readonly isAboutConnection?: true;
}

/** Every setting, decided. */
export const settingsTrust: Readonly<Record<SettingName, SettingTrust>> = {
  endpoint: {
    inPipelines: "taken",
    because: "a key from the environment never goes to an endpoint that is named there",
    isAboutConnection: true,
  },
  roster: {
    inPipelines: "taken",
    because: "whoever can change it can change the roster's files, and a path out of the checkout is refused",
  },
  account: { inPipelines: "taken", because: "each roster file may name its account itself" },
  accounts: { inPipelines: "taken", because: "each roster file may name its account itself" },
  parallelism: {
    inPipelines: "taken",
    because: "it changes how fast calls go, not which, and ends at 64",
    isAboutConnection: true,
  },
  state: {
    inPipelines: "refused",
    because: "it would decide what roster believes to have done",
    otherwise: "--state or ROSTER_STATE",
    isAboutConnection: true,
  },
  apiKeyCommand: {
    inPipelines: "refused",
    because: "it would run a program of somebody's choice",
    otherwise: "ROSTER_API_KEY or ROSTER_API_KEY_FILE",
    isAboutConnection: true,
  },
  proxy: {
    inPipelines: "refused",
    because: "it would send every call through a machine of somebody's choice",
    otherwise: "HTTPS_PROXY",
    isAboutConnection: true,
  },
  ca: {
    inPipelines: "refused",
    because: "it would let somebody else answer as the service",
    otherwise: "ROSTER_CA_FILE",
    isAboutConnection: true,
  },
  guards: { inPipelines: "refused", because: "it would decide what stands in the way of a plan" },
  protect: { inPipelines: "refused", because: "it would decide whom no action may touch" },
  invitationDays: { inPipelines: "refused", because: "it would decide when an invitation that nobody accepts blocks" },
  singleLabelDomains: {
    inPipelines: "refused",
    because: "it would let users be created in domains that are nobody's, such as localhost",
  },
  rehearse: {
    inPipelines: "taken",
    because: "it can only ask for one check more: what ROSTER_REHEARSE says from outside counts before it",
  },
  acknowledgements: {
    inPipelines: "taken",
    because: "what a file in the checkout acknowledges is reviewed with it, and silences no privilege and no guard",
  },
  sections: { inPipelines: "refused", because: "it would let files carry what their owners may not decide" },
  service: {
    inPipelines: "refused",
    because: "it would decide what the service's answers mean: who is there, and whose key is whose",
    isAboutConnection: true,
  },
};

/** Whether a command meets the service and the state, or plans with what was kept of both. */
export type SessionKind = "service-and-state" | "neither";

/** What of the settings in force must not be taken from where they stand. What a command never looks at is not in force. */
export async function refusedSettings(
  file: SettingsFile | undefined,
  host: Host,
  meets: SessionKind = "service-and-state",
): Promise<readonly Diagnostic[]> {
  if (file === undefined || !file.insideCheckout || trustsCheckout(host)) return [];
  const isInForce = (name: SettingName) =>
    meets === "service-and-state" || settingsTrust[name].isAboutConnection !== true;
  const refused = isPipeline(host)
    ? [...file.places].filter(([name]) => settingsTrust[name].inPipelines === "refused" && isInForce(name))
    : [];
  const untaken = refused.map(([name, place]): Diagnostic => {
    const why = `CI is set, and ${file.path}, which a change to the checkout can edit, sets ${name}`;
    const { because, otherwise } = settingsTrust[name];
    return { ...untrusted(`${why}: ${because}.`, otherwise), place };
  });
  const elsewhere = isPipeline(host) ? await rosterElsewhere(file) : [];
  if (untaken.length + elsewhere.length > 0) return [...untaken, ...elsewhere];
  return meets === "neither" ? [] : refusedTogether(file);
}

/** An error in such a file would show lines of it, whatever it is. */
async function rosterElsewhere({
  path,
  roster,
  directory,
  checkout,
  places,
}: SettingsFile): Promise<readonly Diagnostic[]> {
  const place = places.get("roster");
  const standing = await Promise.all((roster ?? []).map((one) => placementOf(resolve(directory, one), checkout)));
  if (place === undefined || standing.every(({ isInside }) => isInside)) return [];
  const why = `CI is set, and ${path}, which a change to the checkout can edit, sets roster to a path out of the checkout`;
  return [{ ...untrusted(`${why}: it would choose which files of this machine are read.`, "PATH"), place }];
}

function refusedTogether({ path, places }: SettingsFile): readonly Diagnostic[] {
  const place = places.get("ca");
  if (place === undefined || !places.has("proxy")) return [];
  const why = `${path}, which a change to the checkout can edit, sets both proxy and ca`;
  return [
    {
      ...untrusted(
        `${why}: together they let somebody else read the key on its way.`,
        "HTTPS_PROXY and ROSTER_CA_FILE",
      ),
      place,
    },
  ];
}

function untrusted(message: string, otherwise?: string): Diagnostic {
  const first = otherwise === undefined ? "Move" : `Say it with ${otherwise}, move`;
  const hint = `${first} the settings out of the checkout and name them in ROSTER_CONFIG, or set ROSTER_TRUST_SETTINGS=1.`;
  return { code: "untrusted-settings", severity: "error", message, hint };
}
