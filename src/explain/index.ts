export {
  type Factor,
  type Failures,
  type FoundRules,
  findRules,
  type RuleCondition,
  type SeparatingRule,
  SIGNIFICANT,
} from './rules.js';
