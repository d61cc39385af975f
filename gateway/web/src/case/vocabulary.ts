// Words of cases, as the service knows them and as lawyers read them.
import type { CaseStatus, EntryKind, PhaseSummary } from "../wire.js";

/** Areas of law by their LIST codes. */
export const areas: [string, string][] = [
  ["BU", "Small business and intellectual property"],
  ["WO", "Work"],
  ["HO", "Housing"],
  ["FA", "Family and safety"],
  ["MO", "Money, debt and consumer"],
  ["TO", "Torts and personal injury"],
  ["BE", "Public benefits"],
  ["CO", "Courts"],
  ["CR", "Crime"],
  ["DI", "Disaster relief"],
  ["ED", "Education"],
  ["EN", "Environmental justice"],
  ["ES", "Estates, wills and guardianship"],
  ["GO", "Government services"],
  ["HE", "Health"],
  ["IM", "Immigration"],
  ["JU", "Juvenile"],
  ["NA", "Native American and tribal"],
  ["RI", "Rights"],
  ["TR", "Traffic"],
  ["VE", "Veterans and military"],
];

/** The whole code of an area. */
export function areaCode(area: string): string {
  return `${area}-00-00-00-00`;
}

export const statuses: CaseStatus[] = ["intake", "open", "on_hold", "closed", "archived"];
export const tiers: [string, string][] = [
  ["1", "Tier 1"],
  ["2", "Tier 2"],
  ["3", "Tier 3"],
  ["4", "Tier 4"],
  ["unrated", "Not rated"],
];
export const sorts: [string, string][] = [
  ["", "Changed last"],
  ["nextDeadline", "Next deadline"],
  ["-tier", "Highest tier"],
  ["title", "Title"],
  ["-createdAt", "Newest"],
  ["createdAt", "Oldest"],
];
export const matterKinds = [
  "litigation",
  "arbitration",
  "administrative",
  "transaction",
  "advisory",
  "appeal",
  "other",
] as const;
export const sides: [string, string][] = [
  ["claimant", "Claimant"],
  ["respondent", "Respondent"],
  ["both", "Both sides"],
  ["neutral", "Neutral"],
  ["non_adversarial", "Not adversarial"],
];
export const entryKinds: EntryKind[] = [
  "deadline",
  "filing",
  "hearing",
  "fact",
  "communication",
  "payment",
  "agreement",
  "authority",
  "file_added",
  "phase",
  "review",
  "status_change",
  "invite",
];
export const documentTypes = [
  "complaint",
  "answer",
  "counterclaim",
  "summons",
  "proof_of_service",
  "motion_dismiss",
  "opposition",
  "reply",
  "order",
  "scheduling_order",
  "judgment",
  "demand_letter",
  "settlement_offer",
  "engagement_letter",
  "chronology",
  "interrogatories",
  "rfp",
  "rfa",
  "discovery_response",
  "deposition_notice",
  "transcript",
  "subpoena",
  "expert_report",
  "draft_agreement",
  "executed_agreement",
  "nda",
  "notice_of_appeal",
  "opening_brief",
  "other",
];
export const confidentialities: [string, string][] = [
  ["none", "None"],
  ["attorney_client", "Attorney–client"],
  ["work_product", "Work product"],
  ["settlement", "Settlement"],
  ["mediation", "Mediation"],
];

type Tone = "good" | "warn" | "bad" | "plain";

/** How a state of a case reads. */
export function toneOfStatus(status: CaseStatus): Tone {
  return status === "open" ? "good" : status === "intake" ? "warn" : "plain";
}

/** How a phase reads: what it came to, and where its review stands. */
export function toneOfPhase(phase: Pick<PhaseSummary, "status">): Tone {
  switch (phase.status) {
    case "completed":
      return "good";
    case "failed":
      return "bad";
    case "refused":
    case "cancelled":
      return "warn";
    default: // it has not ended: an interrupted phase is taken up again
      return "plain";
  }
}

/** The place of law in words: US-CA stays as it is known. */
export function areaName(code: string): string {
  return areas.find(([area]) => code.startsWith(area))?.[1] ?? code;
}

/** What a kind of request asks for. */
export function requestName(type: string): string {
  return type === "eval_req"
    ? "Evaluation"
    : type === "case_req"
      ? "Question"
      : type === "support_req"
        ? "Support"
        : type === "admin_req"
          ? "Administration"
          : "Request";
}

const reasons: Record<string, string> = {
  states_law: "states law",
  states_strategy: "states strategy",
  states_deadline: "states a deadline",
  states_tier: "states a tier",
  has_draft: "holds a draft",
};

/** Why a person has to read it. */
export function reasonsInWords(codes: string[]): string {
  const said = codes.map((code) => reasons[code] ?? code.replaceAll("_", " "));
  return said.length > 1 ? `${said.slice(0, -1).join(", ")} and ${said.at(-1)}` : (said[0] ?? "");
}
