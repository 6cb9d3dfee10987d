"""PettingZoo: one table, agents in turn, actions drawn from the mask."""

from __future__ import annotations

from tooth_envs import dragon_teeth_washer_v0


def main() -> None:
    """Play one game and print what player_0 sees at its end."""
    env = dragon_teeth_washer_v0.env(num_players=4, render_mode="ansi", render_seat=0)
    env.reset(seed=42)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        if terminated or truncated:
            print(f"{agent}: {reward:+.2f}")
            env.step(None)
        else:
            env.step(env.action_space(agent).sample(observation["action_mask"]))
    print(env.render())


if __name__ == "__main__":
    main()
