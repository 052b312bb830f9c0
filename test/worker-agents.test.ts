/** The agents of a Worker: built-in tools, wrappers, and the problems told before anything starts. */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentOptions } from '../src/agents/define-agent.ts';
import { defineAgent } from '../src/agents/define-agent.ts';
import { toAgentSpec } from '../src/agents/to-agent-spec.ts';
import type { LanguageModelWrapper } from '../src/chat/language-model.ts';
import { languageModel } from '../src/chat/language-model.ts';
import { ConfigurationError } from '../src/everloop-error.ts';
import { scriptedModel } from '../src/models/scripted.ts';
import type { Tool } from '../src/tools/define-tool.ts';
import { defineTool } from '../src/tools/define-tool.ts';
import type { ToolWrapper } from '../src/tools/wrap-tool.ts';
import { composeAgents } from '../src/worker-agents.ts';
import { toolContext } from './tools/tool-context.ts';

const model = scriptedModel([{ text: 'Hi.' }], { name: 'own' });

function named(name: string): Tool {
  return defineTool({ name, description: '', input: z.object({}), execute: () => name });
}

function agentWith(options: Partial<AgentOptions>) {
  return defineAgent({ model, instructions: '', ...options });
}

function around(mark: string, made: string[] = []): ToolWrapper {
  return (next) => {
    made.push(`${mark} ${next.name}`);
    return { ...next, run: async (...args) => `${mark}(${await next.run(...args)})` };
  };
}

function problemsOf(agents: Parameters<typeof composeAgents>[0]): readonly unknown[] {
  try {
    composeAgents(agents, {});
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe('the tools of an agent', () => {
  it('include read_result when there are any, for its spec and for its calls alike', () => {
    const { definitions, toolNamed, readerOf } = composeAgents(
      {
        worker: agentWith({ tools: [named('work')], hiddenTools: [named('more')] }),
        cutter: agentWith({ tools: [named('work')], offload: false }),
        talker: agentWith({}),
      },
      {},
    );
    const names = (agent: string) => {
      const definition = definitions.get(agent);
      if (definition === undefined) throw new Error(`no agent ${agent}`);
      const { tools } = toAgentSpec(agent, definition, { heartbeatTimeoutMs: 1 });
      return tools.map((tool) => tool.definition.name);
    };
    expect(names('worker')).toEqual(['more', 'read_result', 'work']);
    expect(names('cutter')).toEqual(['work']);
    expect(names('talker')).toEqual([]);
    expect(toolNamed('worker', 'read_result')?.effect).toBe('none');
    expect(toolNamed('worker', 'more')?.name).toBe('more');
    expect(toolNamed('cutter', 'read_result')).toBeUndefined();
    expect(toolNamed('nobody', 'work')).toBeUndefined();
    expect(['worker', 'cutter', 'talker'].map(readerOf)).toEqual([
      'read_result',
      undefined,
      undefined,
    ]);
  });

  it('are inside their wrappers, each wrapper called once per tool', async () => {
    const made: string[] = [];
    const { definitions, toolNamed } = composeAgents(
      {
        worker: agentWith({
          tools: [named('work')],
          hiddenTools: [named('more')],
          wrapTool: [around('a', made), around('b')],
        }),
      },
      {},
    );
    expect(made).toEqual(['a work', 'a read_result', 'a more']);
    for (const name of ['work', 'more']) {
      const tool = toolNamed('worker', name);
      expect(await tool?.run({}, toolContext())).toBe(`a(b(${name}))`);
    }
    expect(definitions.get('worker')?.tools?.[0]).toBe(toolNamed('worker', 'work'));
    expect(made).toHaveLength(3);
  });
});

describe('the models of an agent', () => {
  it('are inside the wrappers of that agent alone, each wrapper called once', () => {
    const made: string[] = [];
    const wrap: LanguageModelWrapper = (next) => {
      made.push(next.name);
      return languageModel({ name: `w(${next.name})`, stream: (...args) => next.stream(...args) });
    };
    const providers = { 'openai-chat': { apiKey: 'key' } };
    const { modelNamed } = composeAgents(
      {
        wrapped: agentWith({ model: [model, 'openai-chat:m'], wrapModel: [wrap] }),
        plain: agentWith({}),
      },
      providers,
    );
    expect(made).toEqual(['own', 'openai-chat:m']);
    expect(modelNamed('own', 'wrapped').name).toBe('w(own)');
    expect(modelNamed('openai-chat:m', 'wrapped').name).toBe('w(openai-chat:m)');
    expect(modelNamed('own', 'plain')).toBe(model);
    // A model of an older spec of the agent: wrapped when it is first asked for.
    expect(modelNamed('openai-chat:older', 'wrapped').name).toBe('w(openai-chat:older)');
    expect(modelNamed('openai-chat:older', 'wrapped')).toBe(
      modelNamed('openai-chat:older', 'wrapped'),
    );
    expect(made).toEqual(['own', 'openai-chat:m', 'openai-chat:older']);
  });

  it('may lack their key when the Worker starts: the call tells', () => {
    const { modelNamed } = composeAgents(
      { keyless: agentWith({ model: 'openai:m', wrapModel: [(next) => next] }) },
      {},
    );
    expect(() => modelNamed('openai:m', 'keyless')).toThrow(/OPENAI_API_KEY is not set/);
  });
});

describe('a Worker that cannot serve its agents', () => {
  it('is told all problems at once, each with its agent', () => {
    const throwing = () => {
      throw new Error('no licence');
    };
    const renaming: ToolWrapper = (next) => ({ ...next, name: 'x' });
    expect(
      problemsOf({
        one: agentWith({ tools: [named('work')], offload: false, wrapTool: [throwing] }),
        two: agentWith({ tools: [named('work')], offload: false, wrapTool: [renaming] }),
        three: agentWith({ wrapModel: [throwing] }),
        four: agentWith({ tools: [named('read_result')] }),
        five: agentWith({ model: scriptedModel([], { name: 'own' }) }),
      }),
    ).toEqual([
      {
        where: 'agents.five.model',
        what: 'another model is named "own" too: give each a name of its own',
      },
      { where: 'agents.one.wrapTool', what: 'no licence' },
      { where: 'agents.two.wrapTool', what: 'a wrapper of tool work changed its name' },
      { where: 'agents.three.wrapModel', what: 'no licence' },
      {
        where: 'agents.four.tools',
        what: expect.stringContaining('read_result is the name of a built-in tool'),
      },
    ]);
  });

  it('may have a tool of its own named read_result where nothing is offloaded', () => {
    expect(
      problemsOf({ one: agentWith({ tools: [named('read_result')], offload: false }) }),
    ).toEqual([]);
  });
});
