"""Whole programs: a training step of the digits network, the fit of a system of differential equations."""

import wengert as wg

from .programs import DigitsStep, PredatorPrey


class Digits:
    """One step, batch 64."""

    def setup(self) -> None:
        self.step = DigitsStep(wg)
        self.step()

    def time_step(self) -> None:
        self.step()


class Fit:
    """Loss and gradient through 160 Runge-Kutta steps on single numbers."""

    def setup(self) -> None:
        self.program = PredatorPrey(wg)
        self.program.loss()

    def time_loss(self) -> None:
        self.program.loss()

    def time_loss_and_gradient(self) -> None:
        self.program()
