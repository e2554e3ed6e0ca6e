import type { FindingTexts } from "../../codes/message.ts";
import { declared, distinctReasons } from "../../model/fact.ts";
import type { GuardSettings, LocatedSetting } from "../../model/policy.ts";
import type { Basis, Subject } from "../../model/subject.ts";
import type { Hold, Withheld } from "./guard-types.ts";

/** One hold on all that a plan would do about one person or key; each reason and each fact stands once. */
export function holdOn(
  subject: Subject,
  withheld: readonly Withheld[],
  setting: readonly Basis[],
  { message, suggestedYaml }: FindingTexts,
): Hold {
  const restsOn = [...setting, ...withheld.flatMap(basesAbout)];
  return {
    subject,
    message,
    suggestedYaml,
    facts: withheld.flatMap(({ facts }) => facts),
    because: distinctReasons(withheld.flatMap(({ action }) => action.because.slice(0, 1))),
    restsOn: [...new Map(restsOn.map((basis) => [JSON.stringify([basis.about, basis.fact]), basis])).values()],
    withholds: withheld.map(({ target }) => target),
  };
}

/** What an action rests on, as far as it is about the person of whom something is withheld. */
function basesAbout({ action, target }: Withheld): readonly Basis[] {
  switch (action.kind) {
    case "create-user":
      return action.restsOn.filter(({ about }) => about.kind === "user" && about.address === action.address);
    case "add-members": {
      const address = target.of === "part" ? target.address : undefined;
      return action.restsOn.filter(({ about }) => about.kind === "member" && about.address === address);
    }
    case "replace-roles":
      return action.restsOn;
  }
}

/** The setting by which a guard holds, with its line; nothing where its default does. */
export function settingBasis(setting: LocatedSetting, says: string, { setAt }: GuardSettings): readonly Basis[] {
  const place = setAt?.[setting];
  return place === undefined
    ? []
    : [{ about: { kind: "other", name: `setting ${setting}` }, fact: declared(says, place) }];
}
