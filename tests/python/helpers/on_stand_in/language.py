# SPDX-License-Identifier: Apache-2.0
"""The source of a small language model, for scripts that are trained on the stand-in GPU."""


def language(layers: int) -> str:
    """Defines Language and loss_of(scores, tokens); needs torch."""
    return f"""
class Block(torch.nn.Module):
    def __init__(self, wide):
        super().__init__()
        self.norm = torch.nn.LayerNorm(wide)
        self.up, self.down = torch.nn.Linear(wide, 4 * wide), torch.nn.Linear(4 * wide, wide)
    def forward(self, hidden):
        return hidden + self.down(torch.nn.functional.gelu(self.up(self.norm(hidden))))

class Language(torch.nn.Module):
    def __init__(self, words=1000, wide=256, layers={layers}):
        super().__init__()
        self.embedding = torch.nn.Embedding(words, wide)
        self.blocks = torch.nn.ModuleList(Block(wide) for _ in range(layers))
        self.head = torch.nn.Linear(wide, words)
    def forward(self, tokens):
        hidden = self.embedding(tokens)
        for block in self.blocks:
            hidden = block(hidden)
        return self.head(hidden)

def loss_of(scores, tokens):
    return torch.nn.functional.cross_entropy(scores.flatten(0, 1), tokens.flatten())
"""
