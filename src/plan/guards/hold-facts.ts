import type { Action } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { type Basis, declared } from "../../model/fact.ts";
import type { GuardSettings, LocatedSetting } from "../../model/policy.ts";
import { memberSubject, userSubject } from "../subjects.ts";

/** What an action rests on as far as it is about one person: what a hold that is about them rests on as well. */
export function basesAbout(action: Action, address: FoldedAddress | undefined): readonly Basis[] {
  const { restsOn } = action;
  switch (action.kind) {
    case "create-user": {
      const subject = userSubject(action.address);
      return restsOn.filter(({ about }) => about === subject);
    }
    case "add-members": {
      if (address === undefined) return restsOn;
      const subject = memberSubject(address, action.team.team);
      return restsOn.filter(({ about }) => about === subject);
    }
    case "replace-roles":
      return restsOn;
  }
}

/** The setting by which a guard holds, with its line; nothing where its default does. */
export function settingBasis(setting: LocatedSetting, says: string, { setAt }: GuardSettings): readonly Basis[] {
  const place = setAt?.[setting];
  return place === undefined ? [] : [{ about: `setting ${setting}`, fact: declared(says, place) }];
}

/** Each fact once, however many actions rest on it. */
export function distinctBases(facts: readonly Basis[]): readonly Basis[] {
  return [...new Map(facts.map((basis) => [JSON.stringify([basis.about, basis.fact]), basis])).values()];
}
