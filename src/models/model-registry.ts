/** From a model's name to the model: `<provider>:<model>`, one line per provider. */
import type { LanguageModel } from '../chat/language-model.ts';
import { EverloopError } from '../everloop-error.ts';
import { anthropicModel } from './anthropic/anthropic-model.ts';
import { openAiChatModel } from './openai-chat/openai-chat-model.ts';
import { openAiResponsesModel } from './openai-responses/openai-responses-model.ts';

/** What reaches a provider. */
export interface ProviderAccess {
  readonly apiKey?: string;
  readonly baseURL?: string;
}

type ProviderName = 'openai' | 'openai-chat' | 'anthropic';
export type Providers = Readonly<Partial<Record<ProviderName, ProviderAccess>>>;

/** Variables that hold each provider's key, named in errors. */
const keyVariable: Readonly<Record<ProviderName, string>> = {
  openai: 'OPENAI_API_KEY',
  'openai-chat': 'OPENAI_API_KEY',
  anthropic: 'ANTHROPIC_API_KEY',
};

type Create = (model: string, access: { apiKey: string; baseURL?: string }) => LanguageModel;

const create: Readonly<Record<ProviderName, Create>> = {
  openai: (model, access) => openAiResponsesModel({ model, ...access }),
  'openai-chat': (model, access) => openAiChatModel({ model, ...access }),
  anthropic: (model, access) => anthropicModel({ model, ...access }),
};

export interface ModelRegistry {
  /**
   * The model of that name.
   * @throws EverloopError `unknown_model` when no provider is known by that name; `configuration` when its key is missing
   */
  named(name: string): LanguageModel;
  /** What keeps the model from being used on this Worker; undefined when nothing does. */
  problemOf(name: string): { what: string; hint: string } | undefined;
}

/** Models by name. `own`: models that agents bring themselves. */
export function createModelRegistry(
  providers: Providers,
  own: readonly LanguageModel[] = [],
): ModelRegistry {
  const models = new Map(own.map((model) => [model.name, model]));
  function problemOf(name: string): { what: string; hint: string } | undefined {
    if (models.has(name)) return undefined;
    const { provider, model } = split(name);
    if (!isProvider(provider) || model === '') {
      return {
        what: `model ${JSON.stringify(name)} names no known provider`,
        hint: `write it as <provider>:<model> with one of: ${Object.keys(create).join(', ')}`,
      };
    }
    if (providers[provider]?.apiKey !== undefined) return undefined;
    return {
      what: `model ${name} needs a key, and ${keyVariable[provider]} is not set`,
      hint: `set ${keyVariable[provider]} in the environment of the Worker`,
    };
  }
  return {
    problemOf,
    named(name) {
      const known = models.get(name);
      if (known !== undefined) return known;
      const problem = problemOf(name);
      const { provider, model } = split(name);
      const access = isProvider(provider) ? providers[provider] : undefined;
      if (problem !== undefined || !isProvider(provider) || access?.apiKey === undefined) {
        const code = isProvider(provider) ? 'configuration' : 'unknown_model';
        throw new EverloopError(code, problem?.what ?? name, {
          hint: problem?.hint ?? '',
        });
      }
      const made = create[provider](model, { ...access, apiKey: access.apiKey });
      models.set(name, made);
      return made;
    },
  };
}

function split(name: string): { provider: string; model: string } {
  const colon = name.indexOf(':');
  return { provider: name.slice(0, Math.max(0, colon)), model: name.slice(colon + 1) };
}

function isProvider(name: string): name is ProviderName {
  return Object.hasOwn(create, name);
}
